//! The command line as it is parsed and explained: with examples, and without the settings that a command does not use.
//!
//! Contract: the help of a verb is short: a line or two for each flag, and the settings by their names.
//! "perpdeck --help" explains those.

use super::examples;
use clap::{Arg, ArgAction, Command};
use std::fmt::Write as _;

/// Settings of the screen: a verb has none.
const OF_THE_SCREEN: [&str; 9] = [
    "close_all_delay",
    "close_all_confirm",
    "theme",
    "theme_file",
    "color",
    "motion",
    "no_mouse",
    "no_tour",
    "keys_file",
];

/// Commands with a screen, or that explain its settings.
const WITH_A_SCREEN: [&str; 4] = ["desk", "demo", "snapshot", "config"];

/// Commands that read no setting.
const WITHOUT_SETTINGS: [&str; 3] = ["schema", "completions", "man"];

/// The whole command line, explained.
pub(in crate::cli) fn explain(mut whole: Command) -> Command {
    for name in names(&whole) {
        let settings = settings_of(&whole, &name);
        let hidden: Vec<_> = globals(&whole).cloned().collect();
        whole = whole.mut_subcommand(&name, |mut verb| {
            for arg in hidden {
                verb = verb.arg(arg.hide(true));
            }
            explained(verb, &name, &settings)
        });
    }
    let end = whole.get_after_help().map(ToString::to_string);
    let text = format!("{}\n{}", text(""), end.unwrap_or_default());
    whole.after_help(text)
}

fn names(command: &Command) -> Vec<String> {
    let verbs = command.get_subcommands();
    verbs.map(|verb| verb.get_name().to_owned()).collect()
}

fn globals(whole: &Command) -> impl Iterator<Item = &Arg> {
    whole.get_arguments().filter(|arg| arg.is_global_set())
}

/// The names of the settings that a verb uses.
fn settings_of(whole: &Command, name: &str) -> String {
    if WITHOUT_SETTINGS.contains(&name) {
        return String::new();
    }
    let has_screen = WITH_A_SCREEN.contains(&name);
    let used =
        globals(whole).filter(|arg| has_screen || !OF_THE_SCREEN.contains(&arg.get_id().as_str()));
    let flags: Vec<_> = used
        .filter_map(Arg::get_long)
        .map(|long| format!("--{long}"))
        .collect();
    format!(
        "Settings (\"perpdeck --help\" explains them; -n is --dry-run):\n  {}\n\n",
        flags.join(" ")
    )
}

/// With its settings and examples, and those of its subcommands.
fn explained(mut command: Command, path: &str, settings: &str) -> Command {
    for name in names(&command) {
        let path = format!("{path} {name}");
        command = command.mut_subcommand(&name, |verb| explained(verb, &path, settings));
    }
    let help = Arg::new("help").short('h').long("help").help("Prints help");
    command
        .disable_help_flag(true)
        .next_line_help(false)
        .arg(help.action(ArgAction::HelpShort))
        .after_help(format!("{settings}{}", text(path)))
}

fn text(path: &str) -> String {
    let mut text = "Examples:\n".to_owned();
    for example in examples::of(path) {
        // Writing to a string cannot fail.
        let _written = writeln!(text, "  # {}\n  {}", example.does, example.line);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    fn command() -> Command {
        explain(crate::cli::Args::command())
    }

    /// Words between blanks; quotes keep blanks together.
    fn words(line: &str) -> Vec<String> {
        let (mut words, mut word, mut quote) = (vec![], String::new(), None);
        for c in line.chars() {
            match (c, quote) {
                (c, Some(open)) if c == open => quote = None,
                ('"' | '\'', None) => quote = Some(c),
                (' ', None) => words.push(std::mem::take(&mut word)),
                (c, _) => word.push(c),
            }
        }
        words.push(word);
        words
    }

    fn paths(command: &Command, path: &str, out: &mut Vec<String>) {
        out.push(path.to_owned());
        for verb in command.get_subcommands() {
            let name = verb.get_name();
            let path = if path.is_empty() {
                name.to_owned()
            } else {
                format!("{path} {name}")
            };
            paths(verb, &path, out);
        }
    }

    #[test]
    fn every_command_has_examples_and_each_of_them_is_understood() {
        let mut known = vec![];
        paths(&command(), "", &mut known);
        for path in &known {
            assert!(!examples::of(path).is_empty(), "{path:?} has no example");
        }
        for path in examples::paths() {
            assert!(
                known.iter().any(|name| name == path),
                "{path:?} is no command"
            );
            for example in examples::of(path) {
                let begin = format!("perpdeck {path}");
                assert!(
                    example.line.starts_with(begin.trim_end()),
                    "{}",
                    example.line
                );
                let read = command().try_get_matches_from(words(example.line));
                assert!(read.is_ok(), "{}: {}", example.line, read.unwrap_err());
            }
        }
    }

    #[test]
    fn settings_of_the_screen_are_hidden_from_verbs_and_still_taken() {
        let help = |name: &str| {
            let whole = command();
            let mut whole = whole.term_width(200);
            whole.build();
            whole
                .find_subcommand_mut(name)
                .unwrap()
                .render_long_help()
                .to_string()
        };
        for name in ["orders", "place", "doctor"] {
            assert!(!help(name).contains("--theme"), "{name}");
            assert!(help(name).contains("--base-url"), "{name}");
        }
        assert!(!help("man").contains("--base-url"));
        for name in ["desk", "snapshot"] {
            assert!(help(name).contains("--theme"), "{name}");
        }
        let read = command().try_get_matches_from(["perpdeck", "orders", "--theme", "light"]);
        let matches = read.unwrap();
        let theme = matches.get_one::<String>("theme").map(String::as_str);
        assert_eq!(theme, Some("light"), "it reaches the settings");
    }

    fn assert_fits(command: &Command, path: &str) {
        let help = command.clone().term_width(100).render_help().to_string();
        let lines = help
            .split("Examples:")
            .next()
            .unwrap_or_default()
            .trim_end();
        let count = lines.lines().count();
        assert!(count <= 40, "{path} has {count} lines:\n{lines}");
        for verb in command.get_subcommands() {
            assert_fits(verb, &format!("{path} {}", verb.get_name()));
        }
    }

    #[test]
    fn the_help_of_every_verb_fits_one_screen_besides_its_examples() {
        let mut whole = command();
        whole.build();
        // "help help" lists the verbs, as "perpdeck --help" does.
        let verbs = whole
            .get_subcommands()
            .filter(|verb| verb.get_name() != "help");
        for verb in verbs {
            assert_fits(verb, verb.get_name());
        }
    }

    #[test]
    fn short_flags_mean_the_same_in_every_verb() {
        let mut whole = command();
        whole.build();
        for verb in whole.get_subcommands() {
            for arg in verb.get_arguments() {
                let long = arg.get_long();
                let meant = match arg.get_short() {
                    Some('o') => "output",
                    Some('n') => "dry-run",
                    Some('q') => "quiet",
                    Some('v') => "verbose",
                    Some('y') => "yes",
                    Some('L') => "limit",
                    _ => continue,
                };
                assert_eq!(long, Some(meant), "{}", verb.get_name());
            }
        }
    }
}
