//! The served description against real answers: its examples work on the demo, and what comes back is as described.

use crate::support::{Paper, Reply};
use perpdeck::exchange::Scenario;
use serde_json::{Map, Value};
use serde_norway::Value as Yaml;
use std::fmt::Write;

const DOCUMENT: &str = include_str!("../../assets/openapi.yaml");
const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

/// The document, twice: as JSON to follow references in, and in its own order to walk through.
struct Description {
    json: Value,
    ordered: Yaml,
}

/// One documented method of one path.
struct Operation<'a> {
    method: String,
    path: &'a str,
    spec: &'a Value,
}

impl Description {
    fn read() -> Self {
        Self {
            json: serde_norway::from_str(DOCUMENT).unwrap(),
            ordered: serde_norway::from_str(DOCUMENT).unwrap(),
        }
    }

    /// In the order of the document, so that its examples tell one story.
    fn operations(&self) -> Vec<Operation<'_>> {
        let paths = self.ordered["paths"].as_mapping().unwrap();
        let mut operations = vec![];
        for (path, item) in paths {
            let path = path.as_str().unwrap();
            for method in item.as_mapping().unwrap().keys() {
                let method = method.as_str().unwrap();
                if METHODS.contains(&method) {
                    operations.push(Operation {
                        method: method.to_uppercase(),
                        path,
                        spec: &self.json["paths"][path][method],
                    });
                }
            }
        }
        operations
    }

    fn resolved<'a>(&'a self, value: &'a Value) -> &'a Value {
        match value["$ref"].as_str() {
            Some(target) => self
                .json
                .pointer(target.strip_prefix('#').unwrap())
                .unwrap(),
            None => value,
        }
    }

    /// Path and query with the examples of the required parameters, and the key header where one is needed.
    fn target(&self, operation: &Operation) -> (String, bool) {
        let shared = &self.json["paths"][operation.path]["parameters"];
        let own = &operation.spec["parameters"];
        let lists = [shared, own].into_iter().filter_map(Value::as_array);
        let (mut target, mut keyed) = (operation.path.to_owned(), false);
        for parameter in lists.flatten().map(|parameter| self.resolved(parameter)) {
            let name = parameter["name"].as_str().unwrap();
            let example = || parameter["example"].as_str().unwrap().replace('|', "%7C");
            match parameter["in"].as_str().unwrap() {
                "path" => target = target.replace(&format!("{{{name}}}"), &example()),
                "header" => keyed = true,
                _ if parameter.get("example").is_some() => {
                    write!(target, "?{name}={}", example()).unwrap();
                }
                _ => {}
            }
        }
        (target, keyed)
    }

    fn bodies(operation: &Operation) -> Vec<String> {
        let media = &operation.spec["requestBody"]["content"]["application/json"];
        let one = media.get("example");
        let many = media["examples"].as_object().into_iter().flatten();
        let all = one
            .into_iter()
            .chain(many.map(|(_, example)| &example["value"]));
        let bodies: Vec<String> = all.map(Value::to_string).collect();
        if bodies.is_empty() {
            vec![String::new()]
        } else {
            bodies
        }
    }

    /// What an answer of that status is described as; its schema is checked whole.
    #[track_caller]
    fn check(&self, operation: &Operation, reply: &Reply) {
        let line = format!("{} {}: {}", operation.method, operation.path, reply.text());
        let status = reply.status.to_string();
        let told = operation.spec["responses"].get(&status);
        let response = self.resolved(told.unwrap_or_else(|| panic!("{status} {line}")));
        for name in response["headers"].as_object().unwrap().keys() {
            assert!(
                reply.header(&name.to_lowercase()).is_some(),
                "{name} {line}"
            );
        }
        let (media, content) = response["content"]
            .as_object()
            .unwrap()
            .iter()
            .next()
            .unwrap();
        assert_eq!(reply.header("content-type"), Some(media.as_str()), "{line}");
        if media == "application/json" {
            let misfit = self.misfit(&content["schema"], &reply.json());
            assert_eq!(misfit, None, "{line}");
        }
    }

    /// Where a value is not as its schema says: types, words, and neither a field too many nor one too few.
    fn misfit(&self, schema: &Value, value: &Value) -> Option<String> {
        let schema = self.resolved(schema);
        if let Some(types) = schema.get("type") {
            let is = |name: &Value| is_of_type(value, name.as_str().unwrap());
            let fits = types
                .as_array()
                .map_or_else(|| is(types), |t| t.iter().any(is));
            if !fits {
                return Some(format!("{value} is not {types}"));
            }
        }
        let words = schema["enum"].as_array();
        if words.is_some_and(|words| !words.contains(value)) {
            return Some(format!("{value} is not a described word"));
        }
        match value {
            Value::Array(rows) => rows
                .iter()
                .find_map(|row| self.misfit(&schema["items"], row)),
            Value::Object(fields) => self.misfit_of_fields(schema, fields),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
        }
    }

    fn misfit_of_fields(&self, schema: &Value, fields: &Map<String, Value>) -> Option<String> {
        let described = schema.get("properties")?.as_object().unwrap();
        let required = schema["required"].as_array().into_iter().flatten();
        let missing = required
            .map(|name| name.as_str().unwrap())
            .find(|name| !fields.contains_key(*name));
        if let Some(name) = missing {
            return Some(format!("{name} is missing"));
        }
        fields
            .iter()
            .find_map(|(name, value)| match described.get(name) {
                Some(schema) => self
                    .misfit(schema, value)
                    .map(|why| format!("{name}: {why}")),
                None => Some(format!("{name} is not described")),
            })
    }
}

fn is_of_type(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "null" => value.is_null(),
        other => panic!("no type {other}"),
    }
}

#[tokio::test]
async fn the_description_is_served_to_anybody_word_for_word() {
    let paper = Paper::bare().await;
    let reply = paper.bare_call("GET", "/sim/openapi.yaml", &[], "").await;
    let reply = reply.unwrap();
    assert_eq!(reply.text(), DOCUMENT);
    assert_eq!(reply.header("content-type"), Some("application/yaml"));
}

#[tokio::test]
async fn every_example_works_on_the_demo_and_answers_as_described() {
    let paper = Paper::play(Scenario::demo().unwrap()).await;
    let description = Description::read();
    let mut count = 0;
    for operation in description.operations() {
        let (target, keyed) = description.target(&operation);
        for body in Description::bodies(&operation) {
            count += 1;
            let key = format!("example-{count}");
            let headers = [("Idempotency-Key", key.as_str())];
            let headers = if keyed { &headers[..] } else { &[] };
            let reply = paper.call(&operation.method, &target, headers, &body).await;
            assert!(
                (200..300).contains(&reply.status),
                "{} {target} {body}: {}",
                operation.method,
                reply.text()
            );
            description.check(&operation, &reply);
            // The cooldown between two market executions.
            paper.advance(500).await;
        }
    }
    assert_eq!(count, 61);
}

#[tokio::test]
async fn refusals_are_as_described() {
    let paper = Paper::bare().await;
    let description = Description::read();
    for operation in description.operations() {
        let (target, _) = description.target(&operation);
        let method = operation.method.as_str();
        let stranger = paper.bare_call(method, &target, &[], "").await.unwrap();
        let public = operation.spec["security"].as_array().is_some();
        assert_eq!(stranger.status == 401, !public, "{method} {target}");
        let odd = format!("{}?colour=red", target.split('?').next().unwrap());
        let reply = paper.call(method, &odd, &[], "").await;
        assert_eq!(reply.status, 400, "{method} {odd}");
        description.check(&operation, &reply);
        if !public {
            description.check(&operation, &stranger);
        }
    }
}

#[tokio::test]
async fn a_described_path_takes_the_described_methods_and_names_them() {
    let paper = Paper::bare().await;
    let description = Description::read();
    for (path, item) in description.json["paths"].as_object().unwrap() {
        let described: Vec<String> = METHODS
            .iter()
            .filter(|method| item.get(method).is_some())
            .map(|method| method.to_uppercase())
            .collect();
        for method in ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"] {
            let reply = paper.call(method, path, &[], "").await;
            let taken = described.iter().any(|known| known == method);
            assert_eq!(reply.status == 405, !taken, "{method} {path}");
            if !taken {
                // A GET may be asked as HEAD, which no description lists.
                let allowed = described.join(", ").replace("GET", "GET, HEAD");
                assert_eq!(reply.header("allow"), Some(allowed.as_str()));
            }
        }
    }
}
