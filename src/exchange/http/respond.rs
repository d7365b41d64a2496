//! Handles one request: route, authentication, rate limit, command, response.

use super::super::{
    api_error::{ApiError, ApiResult, ErrorHeader, ServiceCode},
    auth::{AuthenticatedUser, RouteAccess, SimulatorAccess},
    decode::FieldFault,
    faults::{DrawnFaults, FaultKind, FaultRule, FaultTarget, unknown_enums, with_clock_skew},
    message::{ApiResponse, Execution, JSON},
    rate_limit::LimitScope,
    service::ExchangeService,
    sim::{self, SimRoute},
    streams::{self, StreamRequest, StreamRoute, SwitchHeaders},
    v1,
};
use super::{body::ResponseBody, request_body::read, timeout_stream::ConnectionPhase};
use crate::api::{QueryFaults, Route, RouteFault};
use hyper::{
    Method, Request, Response, StatusCode,
    body::{Bytes, Incoming},
    header::{
        ALLOW, AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE, DATE, HeaderName, HeaderValue,
        RETRY_AFTER, WWW_AUTHENTICATE,
    },
};
use std::{io, net::IpAddr, time::Duration};
use tokio::time::{Instant, sleep};
use uuid::Uuid;

/// Request line and headers, as they are written without needless spaces.
pub(super) const HEAD_LIMIT: usize = 32 * 1024;
/// How long a request may be held for cooldowns, all together.
const MAX_HOLD: Duration = Duration::from_millis(500);
const METHODS: [&str; 6] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];
const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The route of a request line.
enum MatchedRoute {
    V1(Route),
    Sim(SimRoute),
    /// Answered by [`open_stream`].
    Stream,
}

/// Responds to every request, including refused ones; an error closes the connection without a response.
pub(super) async fn respond(
    service: &ExchangeService,
    peer: IpAddr,
    phase: &ConnectionPhase,
    request: Request<Incoming>,
) -> Result<Response<ResponseBody>, io::Error> {
    let request_id = service.request_ids.next();
    let began = Instant::now();
    let line = format!("{} {}", request.method(), request.uri().path());
    let answered = answer(service, peer, phase, request).await;
    let (answer, injected) = answered.unwrap_or_else(|error| (Err(error), None));
    let mut response = apply_fault(answer, injected, request_id);
    if let (Ok(response), Some(date)) = (&mut response, service.date()) {
        response.headers_mut().insert(DATE, date);
    }
    let status = response
        .as_ref()
        .map_or(0, |response| response.status().as_u16());
    let micros = began.elapsed().as_micros();
    tracing::debug!(line, status, %request_id, micros, "answered");
    response
}

/// Answers the request for a stream, and what to serve once the connection is switched.
pub(super) fn open_stream(
    service: &ExchangeService,
    peer: IpAddr,
    route: StreamRoute,
    request: &Request<Incoming>,
) -> (Response<ResponseBody>, Option<StreamRequest>) {
    let request_id = service.request_ids.next();
    match stream(service, peer, route, request) {
        Ok((headers, opened)) => {
            let mut response = Response::new(ResponseBody::whole(Bytes::new()));
            *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
            response.headers_mut().extend(headers);
            (response, Some(opened))
        }
        Err(error) => {
            let refused = build_response(Err(error), request_id, ResponseBody::whole);
            (refused, None)
        }
    }
}

fn stream(
    service: &ExchangeService,
    peer: IpAddr,
    route: StreamRoute,
    request: &Request<Incoming>,
) -> ApiResult<(SwitchHeaders, StreamRequest)> {
    check_head(request)?;
    service.hosts.check(request.uri(), request.headers())?;
    let caller = authorized(service, peer, &Ok(MatchedRoute::Stream), request)?;
    if request.method() != Method::GET {
        return Err(wrong_method(request.method().as_str(), "GET"));
    }
    let headers = streams::switch(request.headers())?;
    let opened = StreamRequest {
        route,
        caller: caller.cloned(),
        query: request.uri().query().unwrap_or_default().to_owned(),
    };
    Ok((headers, opened))
}

/// The complete 503 response for a rejected connection, ready to be written.
pub(super) fn too_many_connections(request_id: Uuid) -> Vec<u8> {
    let error = ApiError::service(
        ServiceCode::TooManyConnections,
        "there are too many connections, and this one is closed; nothing was executed on it",
    );
    let body = error.envelope(request_id);
    let head = format!(
        "HTTP/1.1 503 Service Unavailable\r\nContent-Type: {JSON}\r\nCache-Control: no-store\r\nRetry-After: 1\r\n\
         X-Request-Id: {request_id}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    [head.into_bytes(), body].concat()
}

/// The result of a request, and the fault to apply to its response.
async fn answer(
    service: &ExchangeService,
    peer: IpAddr,
    phase: &ConnectionPhase,
    request: Request<Incoming>,
) -> ApiResult<(ApiResult<ApiResponse>, Option<FaultRule>)> {
    check_head(&request)?;
    service.hosts.check(request.uri(), request.headers())?;
    let uri = request.uri();
    let query = uri.query().unwrap_or_default();
    let method = request.method().as_str();
    let route = MatchedRoute::parse(method, uri.path(), query, service.simulator);
    let caller = authorized(service, peer, &route, &request)?;
    let route = route?;
    let drawn = match route.endpoint() {
        Some(endpoint) => service.faults()?.draw(endpoint),
        None => DrawnFaults::default(),
    };
    if let Some(wait) = drawn.wait {
        sleep(wait).await;
    }
    let mut api_request = read(phase, request).await?;
    let drawn_kind = drawn.disturbance.as_ref().map(|rule| rule.kind);
    if drawn_kind == Some(FaultKind::NotYet) {
        api_request.execution = Execution::Deferred;
    }
    if let Some(before) = drawn.disturbance.as_ref()
        && before.kind == FaultKind::Before
    {
        return Ok((Err(injected_error(before)), None));
    }
    let answer = match route {
        MatchedRoute::V1(route) => {
            let answer = || v1::answer(service, caller, &route, &api_request);
            held(api_request.execution, answer).await
        }
        MatchedRoute::Sim(route) => sim::answer(service, caller, route, &api_request),
        MatchedRoute::Stream => Err(ApiError::broken("a stream that was answered as a request")),
    };
    let answer = service.written().await.and(answer);
    Ok((answer, drawn.disturbance))
}

/// Carries out a request, and again after a cooldown that is too short for a `Retry-After`: what is asked to wait has
/// recorded nothing, or is a close-all that goes on under its key.
async fn held(
    execution: Execution,
    answer: impl Fn() -> ApiResult<ApiResponse>,
) -> ApiResult<ApiResponse> {
    let began = Instant::now();
    loop {
        let answered = answer();
        let hold = match &answered {
            Ok(answer) => answer.retry_after.and_then(|wait| wait.hold),
            Err(error) => error.hold,
        };
        match (execution, hold) {
            (Execution::Immediate, Some(hold)) if began.elapsed() + hold <= MAX_HOLD => {
                sleep(hold).await;
            }
            (Execution::Immediate | Execution::Deferred, _) => return answered,
        }
    }
}

/// 431 for a head beyond its limit.
fn check_head(request: &Request<Incoming>) -> ApiResult<()> {
    const LINE: usize = "  HTTP/1.1\r\n".len();
    const HEADER: usize = ": \r\n".len();
    const END: usize = "\r\n".len();
    let target = request.uri().path_and_query();
    let line = LINE + request.method().as_str().len() + target.map_or(0, |t| t.as_str().len());
    let headers = request.headers().iter();
    let size = headers.fold(line + END, |size, (name, value)| {
        size + HEADER + name.as_str().len() + value.len()
    });
    if size <= HEAD_LIMIT {
        return Ok(());
    }
    Err(ApiError::service(
        ServiceCode::HeadTooLarge,
        format!("request line and headers are larger than {HEAD_LIMIT} bytes"),
    ))
}

/// Checks budgets and key before any lookup. `None` on public routes.
fn authorized<'a>(
    service: &'a ExchangeService,
    peer: IpAddr,
    route: &ApiResult<MatchedRoute>,
    request: &Request<Incoming>,
) -> ApiResult<Option<&'a AuthenticatedUser>> {
    let now = Instant::now();
    let limited = !matches!(route, Ok(MatchedRoute::Sim(route)) if route.is_unlimited());
    if limited {
        service.rate_limiter.take(LimitScope::Address(peer), now)?;
        service.rate_limiter.take(LimitScope::Whole, now)?;
    }
    let access = RouteAccess::from_path(
        request.method().as_str(),
        request.uri().path(),
        service.simulator,
    );
    let has_key = request.headers().contains_key(AUTHORIZATION);
    if access == RouteAccess::Public || (access == RouteAccess::PublicOrKey && !has_key) {
        return Ok(None);
    }
    let caller = service.auth.authenticate(request.headers())?;
    let reads = matches!(*request.method(), Method::GET | Method::HEAD);
    if route.is_ok() && !reads {
        caller.check_may_write()?;
    }
    if limited {
        service
            .rate_limiter
            .take(LimitScope::Key(caller.user), now)?;
    }
    Ok(Some(caller))
}

impl MatchedRoute {
    fn parse(method: &str, path: &str, query: &str, simulator: SimulatorAccess) -> ApiResult<Self> {
        let is_sim = path == "/sim" || path.starts_with("/sim/");
        let parse = |method: &str, query: &str| {
            // Handled like a GET; hyper omits the body.
            let method = if method == "HEAD" { "GET" } else { method };
            match simulator {
                SimulatorAccess::Served if is_sim => {
                    SimRoute::parse(method, path, query).map(Self::Sim)
                }
                SimulatorAccess::Served | SimulatorAccess::Hidden => {
                    Route::parse(method, path, query).map(Self::V1)
                }
            }
        };
        parse(method, query).map_err(|why| match why {
            RouteFault::NotFound => ApiError::service(
                ServiceCode::UnknownEndpoint,
                format!("no such endpoint: {path}"),
            ),
            RouteFault::Method => {
                let taken = METHODS.map(|other| match parse(other, "") {
                    Err(RouteFault::Method | RouteFault::NotFound) => None,
                    Ok(_) | Err(RouteFault::Query(_)) => Some(other),
                });
                let allowed: Vec<&str> = taken.into_iter().flatten().collect();
                wrong_method(method, &allowed.join(", "))
            }
            RouteFault::Query(QueryFaults(faults)) => ApiError::fields(
                faults
                    .iter()
                    .map(|fault| FieldFault::new(fault.parameter(), fault.to_string()))
                    .collect(),
            ),
        })
    }

    /// `None` for what no fault rule can name.
    fn endpoint(&self) -> Option<FaultTarget> {
        match self {
            Self::V1(route) => <&str>::from(route).parse().ok(),
            Self::Sim(route) => <&str>::from(route).parse().ok(),
            Self::Stream => None,
        }
    }
}

fn wrong_method(method: &str, allowed: &str) -> ApiError {
    ApiError {
        header: Some(ErrorHeader::Allow(allowed.to_owned())),
        ..ApiError::service(
            ServiceCode::MethodNotAllowed,
            format!("this endpoint takes {allowed}, not {method}"),
        )
    }
}

/// The error of an injected fault.
fn injected_error(rule: &FaultRule) -> ApiError {
    let status = StatusCode::from_u16(rule.status());
    let status = status.unwrap_or(StatusCode::SERVICE_UNAVAILABLE);
    let error = ApiError::new(status, ServiceCode::PlantedFault, "an injected fault");
    match status {
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => {
            error.retry_after(rule.retry_after().into())
        }
        _ => error,
    }
}

/// The response as sent, with the injected fault applied.
fn apply_fault(
    answer: ApiResult<ApiResponse>,
    injected: Option<FaultRule>,
    request_id: Uuid,
) -> Result<Response<ResponseBody>, io::Error> {
    let whole = |answer| build_response(answer, request_id, ResponseBody::whole);
    let Some(rule) = injected else {
        return Ok(whole(answer));
    };
    Ok(match rule.kind {
        FaultKind::Before
        | FaultKind::Latency
        | FaultKind::NotYet
        | FaultKind::Close
        | FaultKind::Stall
        | FaultKind::Duplicate
        | FaultKind::Reorder
        | FaultKind::Drop
        | FaultKind::LateAck
        | FaultKind::WrongSymbol
        | FaultKind::CrossedBook
        | FaultKind::MalformedFrame
        | FaultKind::Draining
        | FaultKind::SnapshotMissing => whole(answer),
        FaultKind::After => whole(Err(injected_error(&rule))),
        FaultKind::DropReply => return Err(io::ErrorKind::ConnectionAborted.into()),
        FaultKind::CutBody => build_response(answer, request_id, ResponseBody::cut),
        FaultKind::SlowBody => {
            let span = Duration::from_millis(rule.millis().into());
            build_response(answer, request_id, |body| ResponseBody::slow(body, span))
        }
        FaultKind::ClockSkew => {
            let by = i64::from(rule.skew_millis());
            whole(answer.map(|answer| ApiResponse {
                body: with_clock_skew(&answer.body, by).into(),
                ..answer
            }))
        }
        FaultKind::GarbageBody => {
            let garbage = Bytes::from_static(b"<html>upstream \xff is resting</html>");
            build_response(answer, request_id, |_| ResponseBody::whole(garbage))
        }
        FaultKind::UnknownWords => build_response(answer, request_id, |body| {
            ResponseBody::whole(unknown_enums(&body).into())
        }),
    })
}

fn build_response(
    answer: ApiResult<ApiResponse>,
    request_id: Uuid,
    payload: impl FnOnce(Bytes) -> ResponseBody,
) -> Response<ResponseBody> {
    let (status, media, header, body) = match answer {
        Ok(answer) => (
            answer.status,
            answer.media,
            answer
                .retry_after
                .map(|wait| ErrorHeader::RetryAfter(wait.seconds)),
            answer.body,
        ),
        Err(error) => {
            let body = error.envelope(request_id);
            (error.status, JSON, error.header, body.into())
        }
    };
    let mut response = Response::new(payload(body));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(media));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    let owed = header.map(|header| match header {
        ErrorHeader::RetryAfter(seconds) => (RETRY_AFTER, seconds.to_string()),
        ErrorHeader::Allow(methods) => (ALLOW, methods),
        ErrorHeader::Challenge => (WWW_AUTHENTICATE, "Bearer realm=\"perpdeck\"".to_owned()),
    });
    let named = [Some((X_REQUEST_ID, request_id.to_string())), owed];
    for (name, text) in named.into_iter().flatten() {
        if let Ok(value) = HeaderValue::from_str(&text) {
            headers.insert(name, value);
        }
    }
    response
}
