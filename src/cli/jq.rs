//! `--jq`: a jq expression over the JSON of a list, run by jaq.
//!
//! Contract: numbers keep their digits where the expression passes them on. A text that is the result is printed without
//! quotes, and no character of it acts on a terminal. No expression reads the environment, which may hold the API key,
//! writes a service's text to the terminal by itself, or ends the program.

use super::{ascii::ascii, exit::UsageError};
use crate::model::Text;
use jaq_core::{
    Compiler, Ctx, Filter, Vars, data,
    load::{Arena, File, Loader},
    unwrap_valr,
};
use jaq_json::Val;

type Program = Filter<data::JustLut<Val>>;

/// Functions of jq that are left out.
const LEFT_OUT: [&str; 5] = ["env", "halt", "halt_error", "stderr", "stderr_empty"];

/// An expression that compiles, for clap.
pub(super) fn expression(text: &str) -> Result<String, String> {
    compiled(text).map(|_| text.to_owned())
}

/// The JSON, or what the expression makes of it: a line for each result.
pub(super) fn filtered(expression: Option<&str>, json: String) -> Result<String, UsageError> {
    let Some(text) = expression else {
        return Ok(json);
    };
    let wrong = |why: String| UsageError(format!("--jq: {why}"));
    let filter = compiled(text).map_err(wrong)?;
    let input = jaq_json::read::parse_single(json.as_bytes());
    let input = input.map_err(|why| wrong(why.to_string()))?;
    let context = Ctx::<data::JustLut<Val>>::new(&filter.lut, Vars::new([]));
    let results = filter.id.run((context, input)).map(unwrap_valr);
    let lines = results.map(|result| match result {
        Ok(value) => Ok(line(&value)),
        Err(why) => Err(wrong(why.to_string())),
    });
    lines.collect()
}

fn compiled(text: &str) -> Result<Program, String> {
    let definitions = jaq_core::defs()
        .chain(jaq_std::defs())
        .chain(jaq_json::defs())
        .filter(|definition| !LEFT_OUT.contains(&definition.name));
    let functions = jaq_core::funs()
        .chain(jaq_std::funs())
        .chain(jaq_json::funs())
        .filter(|(name, ..)| !LEFT_OUT.contains(name));
    let arena = Arena::default();
    let program = File {
        code: text,
        path: (),
    };
    let loaded = Loader::new(definitions).load(&arena, program);
    let loaded = loaded.map_err(|_| "this is no jq expression".to_owned())?;
    let compiled = Compiler::default().with_funs(functions).compile(loaded);
    compiled.map_err(|unknown| {
        let names = unknown.into_iter().flat_map(|(_, names)| names);
        let names: Vec<_> = names.map(|(name, _)| name.to_owned()).collect();
        format!("jq does not know {}", names.join(", "))
    })
}

fn line(value: &Val) -> String {
    let json = ascii(&value.to_string());
    let text = serde_json::from_str::<String>(&json);
    text.map_or(json, |text| Text::from(text).to_string()) + "\n"
}
