//! `alert_command`: a program of the trader's, run when an alert fires.
//!
//! Contract: no shell reads it. Its environment is the desk's without keys and proxies, and with the facts of the alert;
//! it has no standard input, and what it prints goes nowhere. It is ended after [`PATIENCE`]. At most [`AT_ONCE`] run at a
//! time: more are not run, and that is said. The desk waits for none of them.

use crate::{
    app::{
        Msg,
        activity::{notice::Tone, user_alerts::AlertRun},
    },
    config::keyless,
};
use std::{
    env, io,
    process::{Child, Command, ExitStatus, Stdio},
    sync::Arc,
    time::Duration,
};
use tokio::{
    sync::{Semaphore, mpsc::Sender},
    task::spawn_blocking,
    time::{Instant, sleep},
};

const PATIENCE: Duration = Duration::from_secs(10);
const AT_ONCE: usize = 4;
/// How often it is looked whether it has ended.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Runs the programs of one account.
#[derive(Debug)]
pub(super) struct UserCommands {
    inbox: Sender<Msg>,
    running: Arc<Semaphore>,
}

impl UserCommands {
    pub(super) fn new(inbox: Sender<Msg>) -> Self {
        Self {
            inbox,
            running: Arc::new(Semaphore::new(AT_ONCE)),
        }
    }

    /// Starts it and returns at once; what goes wrong is said.
    pub(super) fn run(&self, run: AlertRun) {
        let inbox = self.inbox.clone();
        let permit = Arc::clone(&self.running).try_acquire_owned();
        tokio::spawn(async move {
            let program = run.program.clone();
            let problem = match permit {
                Ok(_permit) => outcome(run, PATIENCE).await,
                Err(_) => Some(format!("not run: {AT_ONCE} of it still run")),
            };
            if let Some(what) = problem {
                let words = format!("alert_command {program}: {what}");
                // The desk has left: nobody is there to be told.
                drop(inbox.send(Msg::Notify(Tone::Warn, words)).await);
            }
        });
    }
}

/// What went wrong, if anything.
async fn outcome(run: AlertRun, patience: Duration) -> Option<String> {
    match ended(run, patience).await {
        Ok(Some(status)) if status.success() => None,
        Ok(Some(status)) => Some(format!("failed ({status})")),
        Ok(None) => Some(format!(
            "did not end within {} s and was ended",
            patience.as_secs()
        )),
        Err(why) => Some(format!("cannot be run: {why}")),
    }
}

/// `None` where it had to be ended.
async fn ended(run: AlertRun, patience: Duration) -> io::Result<Option<ExitStatus>> {
    let mut child = spawn_blocking(move || begin(&run)).await??;
    let end = Instant::now() + patience;
    while Instant::now() < end {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        sleep(POLL_INTERVAL).await;
    }
    end_now(&mut child);
    Ok(None)
}

fn begin(run: &AlertRun) -> io::Result<Child> {
    let mut program = Command::new(&run.program);
    keyless(&mut program, env::vars_os().map(|(name, _)| name))
        .args(&run.arguments)
        .envs(run.environment.iter().cloned())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
}

fn end_now(child: &mut Child) {
    // It may have ended by itself.
    let _gone = child.kill();
    let _reaped = child.wait();
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn run(program: &str, arguments: &[&str]) -> AlertRun {
        AlertRun {
            program: program.to_owned(),
            arguments: arguments.iter().map(ToString::to_string).collect(),
            environment: vec![("ALERT_TEXT".to_owned(), "btc > 66000; $(id)".to_owned())],
        }
    }

    #[tokio::test]
    async fn it_gets_its_arguments_whole_and_the_facts_in_its_environment() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("said");
        let script = "printf '%s|%s' \"$1\" \"$ALERT_TEXT\" > \"$2\"";
        let path = file.to_str().unwrap();
        let run = run("sh", &["-c", script, "sh", "a b;c", path]);
        let problem = outcome(run, PATIENCE).await;
        assert_eq!(problem, None);
        let told = fs::read_to_string(file).unwrap();
        assert_eq!(told, "a b;c|btc > 66000; $(id)");
    }

    #[tokio::test]
    async fn one_that_fails_is_missing_or_does_not_end_is_said() {
        let problem = async |program, arguments: &[&str], patience| {
            outcome(run(program, arguments), patience).await.unwrap()
        };
        assert!(problem("false", &[], PATIENCE).await.contains("failed"));
        let missing = problem("/no/such/program", &[], PATIENCE).await;
        assert!(missing.contains("cannot be run"), "{missing}");
        let late = problem("sleep", &["60"], Duration::from_millis(50)).await;
        assert!(late.contains("was ended"), "{late}");
    }
}
