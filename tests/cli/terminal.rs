use super::support::Served;
use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use serde_json::Value;
use std::io::{Read, Write};

/// Runs a verb on a terminal, answers its question, and gives back the exit code and what the terminal showed.
fn asked(served: &Served, answer: &str) -> (u32, String) {
    let pty = native_pty_system().openpty(PtySize::default()).unwrap();
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_perpdeck"));
    command.env_clear();
    command.env("HOME", served.home.path());
    for (name, value) in served.environment() {
        command.env(name, value);
    }
    command.args([
        "place",
        "--market",
        "paper|BTC",
        "--side",
        "buy",
        "--type",
        "limit",
        "--size",
        "0.01",
        "--limit-price",
        "50000",
    ]);
    let mut child = pty.slave.spawn_command(command).unwrap();
    drop(pty.slave);
    let (mut reader, mut writer) = (
        pty.master.try_clone_reader().unwrap(),
        pty.master.take_writer().unwrap(),
    );
    let mut shown = String::new();
    let mut bytes = [0; 1024];
    while !shown.contains("[y/N]") {
        let count = reader.read(&mut bytes).unwrap();
        shown += &String::from_utf8_lossy(&bytes[..count]);
    }
    writeln!(writer, "{answer}").unwrap();
    // The other end of a terminal that is gone is an error on Linux, and the end of the text all the same.
    while let Ok(count @ 1..) = reader.read(&mut bytes) {
        shown += &String::from_utf8_lossy(&bytes[..count]);
    }
    (child.wait().unwrap().exit_code(), shown)
}

#[test]
fn on_a_terminal_the_deed_is_named_and_only_y_does_it() {
    let served = Served::bare();
    for no in ["", "n", "Y!", "maybe"] {
        let (code, shown) = asked(&served, no);
        assert_eq!(code, 2, "{shown}");
        assert!(
            shown.contains("buy 0.01 BTC limit @ 50,000 on chal-1"),
            "{shown}"
        );
        assert!(shown.contains("nothing was sent"), "{shown}");
    }
    assert_eq!(served.orders(), Vec::<Value>::new());
    let (code, shown) = asked(&served, "y");
    assert_eq!(code, 0, "{shown}");
    assert!(shown.contains("resting"), "{shown}");
    assert_eq!(served.orders().len(), 1);
}
