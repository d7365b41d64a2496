"""Narrows the description to orders that make sense on the demo scenario, so that random ones reach the engine.

As a program: python schemathesis_orders.py openapi.yaml narrowed.yaml
As the hooks of a run: every request that has an Idempotency-Key gets one of its own, so that it is a new deed; and every
request is asked again by another user, STRANGER, who must find nothing.
"""

import itertools
import os
import sys

import requests
import schemathesis
import yaml

KEPT = {
    "/v1/orders": ["post", "get"],
    "/v1/orders/{order_id}": ["get", "patch", "delete"],
    "/v1/fills": ["get"],
    "/v1/positions": ["get"],
    "/v1/positions/{position_id}": ["get"],
    "/v1/positions/{position_id}/close": ["post"],
    "/v1/accounts/{account_id}/close-all-positions": ["post"],
    "/v1/accounts/{account_id}/cancel-all-orders": ["post"],
    "/v1/twap-orders": ["post", "get"],
    "/v1/twap-orders/{twap_order_id}": ["get", "delete"],
    "/v1/scaled-orders": ["post", "get"],
    "/v1/scaled-orders/{scaled_order_id}": ["get", "delete"],
    "/v1/accounts": ["get"],
    "/v1/accounts/{account_id}": ["get"],
    "/v1/accounts/{account_id}/trading-policy": ["get"],
}
LOW = {"enum": [30000, 40000, 50000, 60000]}
HIGH = {"enum": [70000, 80000, 90000]}
ANY = {"enum": [30000, 50000, 64000, 65000, 80000]}
SIZE = {"enum": [0.004, 0.01, 0.002, 0.02]}
SLIPPAGE = {"enum": [1, 10, 250, 10000]}
NEVER = {"enum": [4102444800000]}
COMMON = {
    "account_id": {"enum": ["chal-1"]},
    "market_id": {"enum": ["paper|BTC", "paper|ETH"]},
    "side": {"enum": ["buy", "sell"]},
    "size": SIZE,
    "leverage": {"enum": [5, 2, 10, 100]},
    "margin_mode": {"enum": ["cross", "isolated"]},
}
REDUCING = {"reduce_only": {"type": "boolean"}}
RESTING = {"time_in_force": {"enum": ["ioc", "fok"]}}
WATCHED = {"trigger_market_id": {"enum": ["paper|BTC", "paper|SOL"]}, "trigger_direction": {"enum": ["above", "below"]}}


DEEDS = itertools.count(1)


@schemathesis.hook
def before_call(context, case, kwargs):
    if case.headers and "Idempotency-Key" in case.headers:
        case.headers["Idempotency-Key"] = f"deed-{next(DEEDS)}"


@schemathesis.check
def nothing_is_there_for_a_stranger(ctx, response, case):
    """Every operation here names an account, or something of one; one's own accounts are the exception."""
    if case.operation.path == "/v1/accounts" or response.status_code in (400, 405):
        return
    asked = response.request
    headers = {**asked.headers, "Authorization": f"Bearer {os.environ['STRANGER']}"}
    told = requests.request(asked.method, asked.url, headers=headers, data=asked.body, timeout=60)
    if told.status_code != 404:
        raise AssertionError(f"a stranger got {told.status_code} for {asked.method} {asked.url}: {told.text}")


def shape(needed, optional=None, common=COMMON):
    """What a body must have beside the common fields, and what it may have."""
    required = {**common, **needed}
    return {
        "type": "object",
        "additionalProperties": False,
        "required": list(required),
        "properties": {**required, **(optional or {})},
    }


def variant(word, needed, optional=None, common=COMMON):
    return shape({"type": {"const": word}, **needed}, optional, common)


def orders():
    buy = {**COMMON, "side": {"enum": ["buy"]}, "market_id": {"enum": ["paper|BTC"]}}
    yield variant("market", {}, {**REDUCING, "slippage_tolerance_bps": SLIPPAGE})
    yield variant("limit", {"limit_price": ANY}, {**REDUCING, **RESTING})
    yield variant("limit", {"limit_price": LOW, "time_in_force": {"const": "gtd"}, "gtd_expires_at": NEVER}, REDUCING)
    exits = {
        "take_profit_price": HIGH,
        "stop_loss_price": {"enum": [10000, 20000]},
        "replace_overlapping_exits": {"const": True},
    }
    yield variant("limit", {"limit_price": LOW, **exits}, {}, buy)
    yield variant("market", {**exits, "take_profit_price": {"enum": [10000000]}}, {}, buy)
    yield variant("chase", {"chase_offset": {"enum": [0, 1, 500]}}, {**REDUCING, "chase_cap_price": ANY})
    for word in ["stop_market", "take_market"]:
        yield variant(word, {"trigger_price": ANY}, {**REDUCING, "slippage_tolerance_bps": SLIPPAGE})
    for word in ["stop_limit", "take_limit"]:
        yield variant(word, {"trigger_price": ANY, "limit_price": ANY}, {**REDUCING, **RESTING})
    yield variant("take_profit", {"trigger_price": ANY}, {"target_position_id": {"enum": ["pos_000148", "pos_000149"]}})
    yield variant("conditional", {"trigger_price": ANY, **WATCHED}, REDUCING)


def closes():
    part = {"size": {"enum": [1, 2]}}
    at_market = {"slippage_tolerance_bps": SLIPPAGE}
    yield variant("market", part, at_market, {})
    yield variant("limit", {**part, "limit_price": ANY}, {"marketable_limit_acknowledged": {"type": "boolean"}}, {})
    yield variant("conditional", {**part, "trigger_price": ANY, **WATCHED}, at_market, {})


def operations(document):
    for item in document["paths"].values():
        for word, operation in item.items():
            if word != "parameters":
                yield operation


def narrowed(document):
    document["paths"] = {
        path: {word: document["paths"][path][word] for word in [*methods, "parameters"] if word in document["paths"][path]}
        for path, methods in KEPT.items()
    }
    known = {operation["operationId"] for operation in operations(document)}
    for operation in operations(document):
        operation.get("requestBody", {}).get("content", {}).get("application/json", {}).pop("examples", None)
        for response in operation["responses"].values():
            links = response.get("links", {})
            response["links"] = {name: link for name, link in links.items() if link["operationId"] in known}
    positions = ["pos_000158", "pos_000177", "pos_000152"]
    for parameter in document["paths"]["/v1/positions/{position_id}/close"]["post"]["parameters"]:
        if parameter.get("name") == "position_id":
            parameter["schema"] = {"enum": positions}
    for path in ["/v1/orders", "/v1/fills", "/v1/positions", "/v1/twap-orders", "/v1/scaled-orders"]:
        operation = document["paths"][path]["get"]
        # A cursor is good only where it was given out, a name stands alone, and TWAPs that run have no pages.
        pages = ("/Cursor", "/Limit") if path == "/v1/twap-orders" else ("/Cursor",)
        operation["parameters"] = [
            {**p, "required": True} if p.get("name") == "account_id" else p
            for p in operation["parameters"]
            if not p.get("$ref", "").endswith(pages) and p.get("name") != "client_order_id"
        ]
        operation["responses"]["200"]["links"].pop("next", None)
    schemas = document["components"]["schemas"]
    schemas["AccountId"] = {"enum": ["chal-1"]}
    schemas["ModifyBody"] = {"type": "object", "required": ["price"], "additionalProperties": False, "properties": {"price": ANY}}
    schemas["PlaceBody"] = {"oneOf": list(orders())}
    schemas["CloseBody"] = {"oneOf": list(closes())}
    schemas["TwapBody"] = shape(
        {"duration_minutes": {"enum": [5, 30, 1440]}, "expected_price": ANY},
        {
            **REDUCING,
            "strategy": {"enum": ["twap", "vwap"]},
            "slice_interval_seconds": {"enum": [30, 60, 150]},
            "randomize": {"type": "boolean"},
            # Below every max_price: a bound that the trigger has reached is refused.
            "trigger_price": LOW,
            "max_price": HIGH,
            "min_price": {"enum": [10, 20]},
        },
    )
    schemas["ScaledBody"] = shape(
        {"size": {"enum": [0.5]}, "start_price": LOW, "end_price": HIGH, "rung_count": {"enum": [2, 7, 10]},
         "distribution": {"enum": ["flat", "ascending", "descending"]}},
        {**REDUCING, "marketable_limit_acknowledged": {"type": "boolean"}},
    )
    return document


if __name__ == "__main__":
    source, target = sys.argv[1:]
    with open(source, encoding="utf-8") as text:
        document = yaml.safe_load(text)
    with open(target, "w", encoding="utf-8") as text:
        yaml.safe_dump(narrowed(document), text)
