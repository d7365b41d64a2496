//! What HTTP itself costs: a bare hyper server that writes one body for whatever it is asked, without a key, a route, a
//! lock or an engine. The exchange's reads are told as a share of it.

use hyper::{
    Response,
    body::Bytes,
    header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use std::{convert::Infallible, net::SocketAddr};
use tokio::{net::TcpListener, task::JoinHandle};

/// Answers with `body` until the handle is aborted.
pub(crate) async fn serve(body: String) -> (SocketAddr, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    let body = Bytes::from(body);
    let accepting = tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            stream.set_nodelay(true).unwrap();
            let body = body.clone();
            tokio::spawn(async move {
                let respond = service_fn(|_| {
                    let answer = answer(body.clone());
                    async move { Ok::<_, Infallible>(answer) }
                });
                let serving = http1::Builder::new().serve_connection(TokioIo::new(stream), respond);
                // The client leaves when it has counted.
                drop(serving.await);
            });
        }
    });
    (addr, accepting)
}

/// With the headers of the exchange, so that as many bytes travel.
fn answer(body: Bytes) -> Response<http_body_util::Full<Bytes>> {
    let mut response = Response::new(http_body_util::Full::new(body));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    let id = HeaderValue::from_static("00000000-0000-4000-8000-000000000000");
    headers.insert("x-request-id", id);
    response
}
