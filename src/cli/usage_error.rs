//! A command line that cannot be read: told in words to a person, in JSON to a program, as the verb would tell it.

use super::{
    Args, Exit, out,
    voice::{Form, json},
};
use clap::{CommandFactory as _, Error};
use std::io::{self, IsTerminal as _};

pub(super) fn tell(why: &Error, words: impl Iterator<Item = String>) -> Exit {
    let is_help = !why.use_stderr();
    if is_help || io::stderr().is_terminal() || form(words, Form::usual()) == Form::Table {
        // Nobody is left to tell when the stream is gone.
        let _gone = why.print();
        return if is_help { Exit::Ok } else { Exit::Usage };
    }
    let error = serde_json::json!({
        "kind": "usage", "message": message(why), "exit_code": Exit::Usage.code()
    });
    out::aside(&json(&serde_json::json!({ "error": error })));
    Exit::Usage
}

/// What is wrong, without the usage that follows it.
fn message(why: &Error) -> String {
    let text = why.to_string();
    let text = text.split("\n\nUsage:").next().unwrap_or_default();
    text.trim_start_matches("error: ").trim_end().to_owned()
}

/// As the verb would decide it: by `--output`, else by where its output goes. A verb without one speaks words.
fn form(words: impl Iterator<Item = String>, usual: Form) -> Form {
    let words: Vec<_> = words.collect();
    let glued = words.iter().find_map(|word| word.strip_prefix("--output="));
    let at = words.iter().position(|word| word == "--output");
    let apart = at.and_then(|at| words.get(at + 1)).map(String::as_str);
    if let Some(output) = glued.or(apart) {
        return if output == "json" {
            Form::Json
        } else {
            Form::Table
        };
    }
    let program = Args::command();
    let has_output =
        |verb: &clap::Command| verb.get_arguments().any(|arg| arg.get_id() == "output");
    let mut verbs = words
        .iter()
        .filter_map(|word| program.find_subcommand(word));
    if verbs.next().is_some_and(has_output) {
        usual
    } else {
        Form::Table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_told_to_who_asked_for_it_or_reads_a_pipe() {
        for (line, usual, told) in [
            ("orders --histroy --output json", Form::Table, Form::Json),
            ("orders --output=json --x", Form::Table, Form::Json),
            ("orders --output table --x", Form::Json, Form::Table),
            ("orders --x", Form::Json, Form::Json),
            ("orders --x", Form::Table, Form::Table),
            ("--base-url http://x place --size", Form::Json, Form::Json),
            ("completions klingon", Form::Json, Form::Table),
            ("", Form::Json, Form::Table),
        ] {
            let words = line.split_whitespace().map(str::to_owned);
            assert_eq!(form(words, usual), told, "{line}");
        }
    }
}
