//! `server-error-html`: a 5xx with the page of a gateway.

use holdover_wire::Plan;

use crate::card::{Act, Decides, FaultCard, Group, card};
use crate::edit::refusal;
use crate::options::whole;
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    options: &[whole("status", (400, 599), 502, "HTTP status")],
    decides: Decides::Refusal,
    ..card(
        Group::Refusals,
        "server-error-html",
        "502 (or another status) with an HTML page",
        "a gateway in front of the API answers; a client that parses every body as JSON hides the status",
        Act::refuse_always(refuse),
    )
};

fn refuse(scene: &mut Scene<'_>) -> Plan {
    let status = scene.fault.options.status();
    let title = title(status);
    let page = format!(
        "<html>\r\n<head><title>{status} {title}</title></head>\r\n<body>\r\n<center><h1>{status} {title}</h1></center>\r\n<hr><center>cloudflare</center>\r\n</body>\r\n</html>\r\n"
    );
    refusal::gateway(status, "text/html", &page)
}

fn title(status: u16) -> &'static str {
    match status {
        403 => "Forbidden",
        413 => "Request Entity Too Large",
        500 => "Internal Server Error",
        503 => "Service Temporarily Unavailable",
        504 => "Gateway Time-out",
        _ => "Bad Gateway",
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{self, stream};

    #[test]
    fn the_body_is_a_page() {
        let sketch = testing::sketch(&testing::play(&["server-error-html"], stream()));
        assert_eq!(
            sketch,
            [
                "502 server=cloudflare content-type=text/html content-length=155",
                "raw <html>\\r\\n<head><title>502 Bad Gateway</title></head>\\r\\n<body>\\r\\n<center><h1>502 Bad Gateway</h1></center>\\r\\n<hr><center>cloudflare</center>\\r\\n</body>\\r\\n</html>\\r\\n",
                "complete",
            ]
        );
    }
}
