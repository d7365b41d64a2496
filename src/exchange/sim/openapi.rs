//! The description of every endpoint, `assets/openapi.yaml`, as served.
//!
//! The tests here compare it with the routers, the bodies and resources, and their words. `tests/contract/openapi.rs`
//! compares it with real responses.

use super::super::message::ApiResponse;
use hyper::StatusCode;

const DOCUMENT: &str = include_str!("../../../assets/openapi.yaml");
/// RFC 9512.
const YAML: &str = "application/yaml";

pub(super) fn answer() -> ApiResponse {
    ApiResponse {
        status: StatusCode::OK,
        body: DOCUMENT.as_bytes().into(),
        media: YAML,
        retry_after: None,
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{
            SimRoute,
            control::{Nudge, SetClock},
        },
        DOCUMENT,
    };
    use crate::{
        api::{ErrorDetail, ExitBatchBody, ExitOperationBody, MarginBody, Route},
        exchange::{
            api_error::ServiceCode,
            decode::field_names,
            engine::{Reason, RuleId},
            faults::{FaultRule, FaultTarget},
            rate_limit::{RateLimit, RateLimits},
        },
        model::{
            Account, AccountRequirements, AccountRisk, AccountStage, AccountStatus, CancelAll,
            CancelAllResult, CancelResult, CancelStatus, CloseAll, CloseKind, ClosePosition,
            CloseResult, CloseResultStatus, EvidenceLevel, Exits, ExpectedExit, FillEvidence,
            LiquidityRole, Listing, MarginMode, ModifyOrder, Order, OrderEvidence, OrderMode,
            OrderStatus, OrderType, PlaceKind, PlaceOrder, PlaceScaled, PlaceTwap, Position, Quote,
            Rung, Scaled, ServiceAbout, ServiceEnvironment, Side, TimeInForce, TradingLimits,
            TradingPolicy, TriggerDirection, Twap,
        },
    };
    use serde::de::DeserializeOwned;
    use serde_json::Value;
    use std::collections::BTreeSet;
    use strum::{VariantArray, VariantNames};

    fn document() -> Value {
        serde_norway::from_str(DOCUMENT).unwrap()
    }

    fn texts(value: &Value) -> BTreeSet<String> {
        let array = value.as_array().unwrap();
        array
            .iter()
            .map(|word| word.as_str().unwrap().to_owned())
            .collect()
    }

    /// The route that a documented operation maps to, by name.
    fn routed(method: &str, path: &str, query: &str) -> &'static str {
        if path.starts_with("/sim/") {
            (&SimRoute::parse(method, path, query).unwrap()).into()
        } else {
            (&Route::parse(method, path, query).unwrap()).into()
        }
    }

    #[test]
    fn every_endpoint_is_described_and_everything_described_is_an_endpoint() {
        let mut described = BTreeSet::new();
        let document = document();
        for (path, item) in document["paths"].as_object().unwrap() {
            // `{order_id}` is parsed like any other id.
            for (method, operation) in item.as_object().unwrap() {
                if method == "parameters" {
                    continue;
                }
                let id = operation["operationId"].as_str().unwrap();
                let lists =
                    ["orders", "fills", "positions", "twaps", "scaled_orders"].contains(&id);
                let query = if lists { "account_id=chal-1" } else { "" };
                assert_eq!(routed(&method.to_uppercase(), path, query), id);
                assert!(described.insert(id.to_owned()), "{id} twice");
            }
        }
        let routes = Route::VARIANTS.iter().chain(SimRoute::VARIANTS);
        assert_eq!(described, routes.map(|&name| name.to_owned()).collect());
    }

    fn fields<T: DeserializeOwned>() -> BTreeSet<String> {
        let names = field_names::<T>();
        assert!(!names.is_empty());
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn every_body_and_resource_has_the_fields_described_and_no_other() {
        let schemas = document()["components"]["schemas"].take();
        for (schema, fields) in [
            ("PlaceBody", fields::<PlaceOrder>()),
            ("CloseBody", fields::<ClosePosition>()),
            ("ExitsBody", fields::<Exits>()),
            ("MarginBody", fields::<MarginBody>()),
            ("ModifyBody", fields::<ModifyOrder>()),
            ("ExitBatchBody", fields::<ExitBatchBody>()),
            ("ExpectedExit", fields::<ExpectedExit>()),
            ("ExitOperation", fields::<ExitOperationBody>()),
            ("TwapBody", fields::<PlaceTwap>()),
            ("ScaledBody", fields::<PlaceScaled>()),
            ("SetClockBody", fields::<SetClock>()),
            ("NudgeBody", fields::<Nudge>()),
            ("Plant", fields::<FaultRule>()),
            ("PlantedFault", fields::<FaultRule>()),
            ("RateNow", fields::<RateLimit>()),
            ("Rates", fields::<RateLimits>()),
            ("Rate", fields::<RateLimit>()),
            ("RatesBody", fields::<RateLimits>()),
            ("Order", fields::<Order>()),
            ("Position", fields::<Position>()),
            ("Twap", fields::<Twap>()),
            ("Scaled", fields::<Scaled>()),
            ("Rung", fields::<Rung>()),
            ("CloseAll", fields::<CloseAll>()),
            ("CloseResult", fields::<CloseResult>()),
            ("CancelResult", fields::<CancelResult>()),
            ("CancelAll", fields::<CancelAll>()),
            ("CancelAllResult", fields::<CancelAllResult>()),
            ("About", fields::<ServiceAbout>()),
            ("Listing", fields::<Listing>()),
            ("Quote", fields::<Quote>()),
            ("Account", fields::<Account>()),
            ("AccountRisk", fields::<AccountRisk>()),
            ("AccountRequirements", fields::<AccountRequirements>()),
            ("TradingPolicy", fields::<TradingPolicy>()),
            ("TradingLimits", fields::<TradingLimits>()),
            ("OrderEvidence", fields::<OrderEvidence>()),
            ("FillEvidence", fields::<FillEvidence>()),
            ("EvidenceLevel", fields::<EvidenceLevel>()),
            ("ErrorDetail", fields::<ErrorDetail>()),
        ] {
            let described = schemas[schema]["properties"].as_object().unwrap();
            assert_eq!(
                described.keys().cloned().collect::<BTreeSet<_>>(),
                fields,
                "{schema}"
            );
            // Requests are strict; responses may have more fields.
            let strict = STRICT.contains(&schema).then_some(false);
            let extra = schemas[schema].get("additionalProperties");
            assert_eq!(extra.and_then(Value::as_bool), strict, "{schema}");
        }
    }

    /// The schemas of requests.
    const STRICT: [&str; 15] = [
        "PlaceBody",
        "CloseBody",
        "ExitsBody",
        "MarginBody",
        "ModifyBody",
        "ExitBatchBody",
        "ExpectedExit",
        "ExitOperation",
        "TwapBody",
        "ScaledBody",
        "SetClockBody",
        "NudgeBody",
        "Plant",
        "Rate",
        "RatesBody",
    ];

    #[test]
    fn only_requests_refuse_fields_that_are_not_described() {
        let schemas = document()["components"]["schemas"].take();
        let strict = |schema: &Value| schema.to_string().contains("additionalProperties");
        let named = schemas.as_object().unwrap().iter();
        let strict: BTreeSet<&str> = named
            .filter(|(_, schema)| strict(schema))
            .map(|(name, _)| name.as_str())
            .collect();
        assert_eq!(strict, BTreeSet::from(STRICT));
    }

    #[test]
    fn every_code_reason_and_rule_is_enumerated() {
        let schemas = document()["components"]["schemas"].take();
        let described = |name: &str| texts(&schemas[name]["enum"]);
        let reasons = Reason::VARIANTS.iter().map(Reason::into_str);
        let reasons: BTreeSet<String> = reasons.map(str::to_owned).collect();
        let rules = RuleId::VARIANTS.iter().map(RuleId::into_str);
        let codes = ServiceCode::VARIANTS.iter().map(ServiceCode::into_str);
        let codes = codes.map(str::to_owned).chain(reasons.clone());
        assert_eq!(described("ErrorCode"), codes.collect());
        assert_eq!(described("RejectReason"), reasons);
        assert_eq!(described("RuleId"), rules.map(str::to_owned).collect());
        for pointer in [
            "/Order/properties/reject_reason",
            "/Rung/properties/reject_reason",
            "/CloseResult/properties/failure_code",
        ] {
            let schema = schemas.pointer(pointer).unwrap();
            assert_eq!(
                schema["$ref"], "#/components/schemas/RejectReason",
                "{pointer}"
            );
        }
    }

    fn words<T: VariantArray + ToString>() -> BTreeSet<String> {
        T::VARIANTS.iter().map(T::to_string).collect()
    }

    #[test]
    fn every_word_described_is_a_word_and_none_is_missing() {
        let schemas = document()["components"]["schemas"].take();
        for (pointer, words) in [
            ("/Side", words::<Side>()),
            ("/MarginMode", words::<MarginMode>()),
            ("/TimeInForce", words::<TimeInForce>()),
            ("/TriggerDirection", words::<TriggerDirection>()),
            ("/PlaceKind", words::<PlaceKind>()),
            ("/CloseKind", words::<CloseKind>()),
            ("/OrderType", words::<OrderType>()),
            ("/OrderMode", words::<OrderMode>()),
            ("/OrderStatus", words::<OrderStatus>()),
            ("/LiquidityRole", words::<LiquidityRole>()),
            ("/Account/properties/stage", words::<AccountStage>()),
            ("/Account/properties/status", words::<AccountStatus>()),
            (
                "/About/properties/environment",
                words::<ServiceEnvironment>(),
            ),
            (
                "/CancelAllResult/properties/status",
                words::<CancelStatus>(),
            ),
            ("/Endpoint", words::<FaultTarget>()),
            (
                "/CloseAll/properties/status",
                words::<crate::model::OperationStatus>(),
            ),
            (
                "/CloseResult/properties/status",
                words::<CloseResultStatus>(),
            ),
        ] {
            let schema = schemas.pointer(pointer).unwrap();
            assert_eq!(texts(&schema["enum"]), words, "{pointer}");
        }
    }
}
