//! Reading a request's body, within limits of size and time.

use super::super::{
    api_error::{ApiError, ServiceCode},
    message::{ApiRequest, Execution, JSON},
};
use super::timeout_stream::{ConnectionPhase, Phase};
use http_body_util::{BodyExt, Limited};
use hyper::{
    HeaderMap, Request,
    body::{Body as _, Incoming},
    header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderValue},
};
use std::{error::Error, time::Duration};
use tokio::time::{Instant, timeout_at};

const BODY_LIMIT: usize = 16 * 1024;
/// Time for a small body, from the end of the head.
const BODY_TIMEOUT: Duration = Duration::from_secs(5);
/// A body gets one more second per this many bytes received.
const BODY_BYTES_PER_SECOND: usize = 4 * 1024;
/// The most time a body gets.
const MAX_BODY_TIMEOUT: Duration = Duration::from_secs(20);

/// The whole body within its limits of size and time. The connection counts as waiting for its client meanwhile.
pub(super) async fn read(
    phase: &ConnectionPhase,
    request: Request<Incoming>,
) -> Result<ApiRequest, ApiError> {
    let (head, body) = request.into_parts();
    let body = if body.is_end_stream() {
        vec![]
    } else {
        check_content_type(&head.headers)?;
        check_encoding(&head.headers)?;
        phase.enter(Phase::Body);
        let read = collected(body).await;
        phase.enter(Phase::Busy);
        read?
    };
    Ok(ApiRequest {
        uri: head.uri,
        headers: head.headers,
        body,
        execution: Execution::Immediate,
    })
}

/// 415 for a body that is not said to be JSON.
fn check_content_type(headers: &HeaderMap) -> Result<(), ApiError> {
    let is_json = |value: &HeaderValue| {
        let essence = value.to_str().ok().and_then(|text| text.split(';').next());
        essence.is_some_and(|essence| essence.trim().eq_ignore_ascii_case(JSON))
    };
    let mut given = headers.get_all(CONTENT_TYPE).iter().peekable();
    if given.peek().is_some() && given.all(is_json) {
        return Ok(());
    }
    Err(ApiError::service(
        ServiceCode::UnsupportedMediaType,
        format!("the header Content-Type must be {JSON}"),
    )
    .of_field("Content-Type"))
}

/// 415 for a compressed body.
fn check_encoding(headers: &HeaderMap) -> Result<(), ApiError> {
    let plain = |value: &HeaderValue| value.as_bytes().eq_ignore_ascii_case(b"identity");
    let mut given = headers.get_all(CONTENT_ENCODING).iter();
    let Some(packed) = given.find(|value| !plain(value)) else {
        return Ok(());
    };
    let message = format!(
        "the header Content-Encoding is {}; this exchange reads uncompressed bodies only: leave the header out",
        packed.to_str().unwrap_or("unreadable")
    );
    Err(
        ApiError::service(ServiceCode::UnsupportedContentEncoding, message)
            .of_field("Content-Encoding"),
    )
}

async fn collected(body: Incoming) -> Result<Vec<u8>, ApiError> {
    let began = Instant::now();
    let mut body = Limited::new(body, BODY_LIMIT);
    let mut read = vec![];
    loop {
        let within = body_time(read.len());
        let frame = match timeout_at(began + within, body.frame()).await {
            Ok(Some(frame)) => frame.map_err(|why| unreadable(&*why))?,
            Ok(None) => return Ok(read),
            Err(_late) => return Err(too_slow(read.len(), within)),
        };
        if let Ok(data) = frame.into_data() {
            read.extend_from_slice(&data);
        }
    }
}

/// The time limit of a body of which `bytes` have arrived: enough for a slow connection, too little for a byte now and
/// then.
fn body_time(bytes: usize) -> Duration {
    let seconds = u64::try_from(bytes / BODY_BYTES_PER_SECOND).unwrap_or(u64::MAX);
    let time = BODY_TIMEOUT.saturating_add(Duration::from_secs(seconds));
    time.min(MAX_BODY_TIMEOUT)
}

fn too_slow(bytes: usize, within: Duration) -> ApiError {
    ApiError::service(
        ServiceCode::RequestTimeout,
        format!(
            "the body comes too slowly: {bytes} bytes of it after {} s",
            within.as_secs()
        ),
    )
}

fn unreadable(why: &(dyn Error + Send + Sync + 'static)) -> ApiError {
    if why.is::<http_body_util::LengthLimitError>() {
        let message = format!("the body is larger than {BODY_LIMIT} bytes");
        return ApiError::service(ServiceCode::BodyTooLarge, message);
    }
    ApiError::body(format!("the body could not be read: {why}"))
}
