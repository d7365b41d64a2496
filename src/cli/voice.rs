//! The output of a verb that uses a service: results on standard output, everything else on standard error.
//!
//! Contract: with `--output json`, or if neither stream is a terminal, every line on standard error is one JSON object
//! with either `note` or `error`, for every verb; `--output table` selects text. JSON is plain ASCII: no character of a
//! service's text can act on a terminal.

use super::{
    Exit,
    ascii::ascii,
    exit::{self, UsageError},
    failure_line::{FailureLine, next},
    jq, out,
};
use crate::model::{Call, Failure, FieldIssue, IdempotencyKey};
use clap::ValueEnum as _;
use color_eyre::Report;
use serde::Serialize;
use serde_json::value::RawValue;
use std::io::{self, IsTerminal};

/// The output formats of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum ListFormat {
    Table,
    Json,
    /// One row a line
    Jsonl,
    Csv,
}

/// The output formats of anything else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum ReportFormat {
    Table,
    Json,
}

impl ReportFormat {
    /// Text for a person, JSON for a program.
    pub(super) fn usual() -> Self {
        if io::stdout().is_terminal() {
            Self::Table
        } else {
            Self::Json
        }
    }
}

impl From<ReportFormat> for ListFormat {
    fn from(form: ReportFormat) -> Self {
        match form {
            ReportFormat::Table => Self::Table,
            ReportFormat::Json => Self::Json,
        }
    }
}

#[derive(Debug, Clone, clap::Args)]
pub(super) struct ListOutput {
    /// [default: table on a terminal, json elsewhere]
    #[arg(long, short, value_enum, value_name = "FORMAT")]
    output: Option<ListFormat>,
    /// Only these fields, in this order: id,size
    #[arg(long, value_name = "FIELDS", value_delimiter = ',')]
    pub(super) fields: Vec<String>,
    /// Sorts by a field; with a - before it, the largest first
    #[arg(long, value_name = "FIELD", allow_hyphen_values = true)]
    pub(super) sort: Option<String>,
    /// Prints what this jq expression makes of the JSON; texts without quotes
    #[arg(long, value_name = "EXPR", conflicts_with = "output", value_parser = jq::expression)]
    pub(super) jq: Option<String>,
    #[command(flatten)]
    notes: NoteFlags,
}

#[derive(Debug, Clone, Copy, clap::Args)]
pub(super) struct FormOutput {
    /// [default: table on a terminal]
    #[arg(long, short, value_enum, value_name = "FORMAT")]
    output: Option<ReportFormat>,
    #[command(flatten)]
    notes: NoteFlags,
}

/// How much is printed on standard error beside errors.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(super) struct NoteFlags {
    /// Prints errors and no notes on standard error
    #[arg(long, short, conflicts_with = "verbose")]
    quiet: bool,
    /// Prints each request on standard error: status, time, id
    #[arg(long, short)]
    verbose: bool,
}

/// How much is printed on standard error beside errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NoteLevel {
    Nothing,
    Notes,
    Requests,
}

impl NoteFlags {
    fn level(self) -> NoteLevel {
        match (self.quiet, self.verbose) {
            (true, _) => NoteLevel::Nothing,
            (false, true) => NoteLevel::Requests,
            (false, false) => NoteLevel::Notes,
        }
    }

    /// The output of a verb with a format of its own.
    pub(super) fn voice(self, output: Option<ListFormat>) -> Output {
        Output {
            level: self.level(),
            ..Output::new(output)
        }
    }
}

impl ListOutput {
    pub(super) fn voice(&self) -> Output {
        let json = self.jq.as_ref().map(|_| ListFormat::Json);
        self.notes.voice(self.output.or(json))
    }
}

impl FormOutput {
    pub(super) fn voice(self) -> Output {
        self.notes.voice(self.output.map(Into::into))
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Output {
    pub(super) format: ListFormat,
    /// Whether a program reads standard error.
    stderr_format: ReportFormat,
    level: NoteLevel,
}

/// A result that standard output did not take.
#[serde_with::skip_serializing_none]
#[derive(Serialize)]
struct UnwrittenResult<'a> {
    note: &'a str,
    /// As it would have been written.
    result: Option<&'a RawValue>,
    idempotency_key: Option<&'a str>,
}

impl Output {
    /// As given with `--output`, otherwise by what the output goes to.
    pub(super) fn new(written: Option<ListFormat>) -> Self {
        let output = written.unwrap_or_else(|| ReportFormat::usual().into());
        let stderr_format = match (written, output) {
            (Some(ListFormat::Json | ListFormat::Jsonl), _) => ReportFormat::Json,
            (None | Some(ListFormat::Csv), ListFormat::Json | ListFormat::Csv)
                if !io::stderr().is_terminal() =>
            {
                ReportFormat::Json
            }
            _ => ReportFormat::Table,
        };
        Self {
            format: output,
            stderr_format,
            level: NoteLevel::Notes,
        }
    }

    /// As this process's arguments say, before a verb has parsed them.
    pub(super) fn from_command_line() -> Self {
        Self::typed(std::env::args().skip(1))
    }

    /// From arguments as typed, whichever verb they belong to.
    pub(super) fn typed(mut words: impl Iterator<Item = String>) -> Self {
        let mut written = None;
        while let Some(word) = words.next() {
            let long = word.strip_prefix("--output");
            let value = match long.or_else(|| word.strip_prefix("-o")) {
                Some("") => words.next(),
                Some(glued) => Some(glued.trim_start_matches('=').to_owned()),
                None => None,
            };
            written = value
                .and_then(|value| ListFormat::from_str(&value, false).ok())
                .or(written);
        }
        Self::new(written)
    }

    /// Whether standard error is read by a person.
    pub(super) fn speaks_words(self) -> bool {
        self.stderr_format == ReportFormat::Table
    }

    pub(super) fn is_json(self) -> bool {
        matches!(self.format, ListFormat::Json | ListFormat::Jsonl)
    }

    /// A note beside the result.
    pub(super) fn note(self, text: &str) {
        if self.level == NoteLevel::Nothing {
            return;
        }
        match self.stderr_format {
            ReportFormat::Table => out::complain(text),
            ReportFormat::Json => out::stderr_line(&json(&serde_json::json!({ "note": text }))),
        }
    }

    /// The result of something that was done under `key`. Standard output that cannot be written changes no exit code:
    /// standard error then has the result.
    pub(super) fn result(self, text: &str, key: Option<&IdempotencyKey>) {
        let Err(why) = out::say(text) else {
            return;
        };
        let note = format!("the result could not be written to standard output: {why}");
        match self.stderr_format {
            ReportFormat::Table => {
                out::complain(&note);
                out::complain(text);
                if let Some(key) = key {
                    out::complain(&format!("idempotency key {key}"));
                }
            }
            ReportFormat::Json => {
                let result = serde_json::from_str::<&RawValue>(text).ok();
                let words = if result.is_none() { text.trim() } else { "" };
                out::stderr_line(&json(&UnwrittenResult {
                    note: format!("{note}: {words}").trim_end_matches(": "),
                    result,
                    idempotency_key: key.map(IdempotencyKey::raw),
                }));
            }
        }
    }

    /// What was done under `key`: `data` for a program, `words` for a person.
    pub(super) fn answer(self, data: &impl Serialize, words: &str, key: Option<&IdempotencyKey>) {
        let text = if self.is_json() {
            json(data)
        } else {
            words.to_owned()
        };
        self.result(&(text + "\n"), key);
    }

    /// The requests that a verb made, if they are wanted.
    pub(super) fn requests(self, calls: impl Iterator<Item = Call>) {
        for call in calls.filter(|_| self.level == NoteLevel::Requests) {
            let outcome = match call.outcome {
                Ok(status) => status.to_string(),
                Err(why) => why.word().to_owned(),
            };
            let (method, target) = (call.method, &call.target);
            let id = call.request_id.map(|id| format!(", request id {id}"));
            self.note(&format!(
                "{method} {target}: {outcome} in {} ms{}",
                call.elapsed.as_millis(),
                id.unwrap_or_default()
            ));
        }
    }

    /// An error, with everything that helps to look it up.
    pub(super) fn failure(self, why: &Failure) -> Exit {
        self.failed(why, None)
    }

    /// [`Self::failure`] of a command that was sent under `key`.
    pub(super) fn failed(self, why: &Failure, key: Option<&IdempotencyKey>) -> Exit {
        let exit = Exit::from(why);
        self.failed_with(exit, why, key);
        exit
    }

    /// The same in a verb that ends with this exit code.
    pub(super) fn failed_with(self, exit: Exit, why: &Failure, key: Option<&IdempotencyKey>) {
        match self.stderr_format {
            ReportFormat::Table => {
                out::complain(&why.to_string());
                for FieldIssue { field, issue } in &why.fields {
                    out::complain(&format!("{field}: {issue}"));
                }
                let references: Vec<_> = why
                    .references()
                    .into_iter()
                    .map(|(name, value)| format!("{name} {value}"))
                    .collect();
                if !references.is_empty() {
                    out::complain(&references.join(" · "));
                }
                if let Some(wait) = why.retry_after {
                    out::complain(&format!("try again in {} s, not sooner", wait.as_secs()));
                }
                if let Some(next) = next(why, key) {
                    out::complain(&next);
                }
            }
            ReportFormat::Json => self.report(&FailureLine::of(why, exit, key)),
        }
    }

    /// The failure of one of several commands, for a line of the result.
    pub(super) fn failure_of(why: &Failure, key: Option<&IdempotencyKey>) -> serde_json::Value {
        let report = FailureLine::of(why, Exit::from(why), key);
        serde_json::to_value(report).unwrap_or_default()
    }

    /// Prints an error as one line per problem, or as one JSON error.
    pub(super) fn explain(self, report: &Report) -> Exit {
        if let Some(why) = report.downcast_ref::<Failure>() {
            return self.failure(why);
        }
        let exit = exit::of(report);
        let kind = if exit == Exit::Usage {
            "usage"
        } else {
            "failed"
        };
        self.ended(kind, &format!("{report:#}"), exit)
    }

    /// Invalid arguments or settings.
    pub(super) fn misused(self, why: impl Into<String>) -> Exit {
        self.explain(&UsageError(why.into()).into())
    }

    /// The result of a command that was sent under `key` is not what was requested.
    pub(super) fn mismatched(self, message: &str, key: Option<&IdempotencyKey>) -> Exit {
        let exit = Exit::Partial;
        self.report(&FailureLine::local("mismatch", message, exit).under(key));
        exit
    }

    /// How something has ended that did not reach what was requested.
    pub(super) fn ended(self, kind: &'static str, message: &str, exit: Exit) -> Exit {
        self.report(&FailureLine::local(kind, message, exit));
        exit
    }

    fn report(self, line: &FailureLine<'_>) {
        match self.stderr_format {
            ReportFormat::Table => out::complain(&line.message),
            ReportFormat::Json => out::stderr_line(&json(&serde_json::json!({ "error": line }))),
        }
    }
}

/// `value` as one line of ASCII; numbers keep their digits.
pub(super) fn json(value: &impl Serialize) -> String {
    // Fails only for maps with non-text keys, of which there are none.
    ascii(&serde_json::to_string(value).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests run without a terminal.
    #[test]
    fn json_is_told_to_who_asked_for_it_or_reads_a_pipe_whatever_the_verb() {
        for (line, report) in [
            ("orders --histroy --output json", ReportFormat::Json),
            ("orders --output=json --x", ReportFormat::Json),
            ("orders -o json --x", ReportFormat::Json),
            ("orders -otable --x", ReportFormat::Table),
            ("orders --output table --x", ReportFormat::Table),
            ("--base-url http://x place --size", ReportFormat::Json),
            // Also for verbs without --output.
            ("completions klingon", ReportFormat::Json),
            ("config check", ReportFormat::Json),
            ("", ReportFormat::Json),
        ] {
            let words = line.split_whitespace().map(str::to_owned);
            assert_eq!(Output::typed(words).stderr_format, report, "{line}");
        }
    }

    #[test]
    fn no_text_of_a_service_acts_on_a_terminal_that_shows_its_json() {
        let hostile = "a\u{1b}]52;c\u{7}\u{9b}2J\u{202e}é🚀\u{7f}";
        let line = json(&hostile);
        assert!(line.bytes().all(|b| (b' '..=b'~').contains(&b)), "{line}");
        assert_eq!(serde_json::from_str::<String>(&line).unwrap(), hostile);
    }
}
