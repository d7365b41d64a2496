//! The machine's wall clock is set while the desk is open: a library laid over the system's tells it another time.

use super::{SIZE, Session, assert_given_back};
use std::{fs, path::Path, process::Command};

const SHIM: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
int clock_gettime(clockid_t id, struct timespec *time) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int failed = real(id, time);
    if (failed || id != CLOCK_REALTIME) return failed;
    FILE *file = fopen(getenv("STEP"), "r");
    long step = 0;
    if (file) {
        if (fscanf(file, "%ld", &step) != 1) step = 0;
        fclose(file);
    }
    time->tv_sec += step;
    return 0;
}
"#;

/// The C compiler that has built `ring` builds this too.
fn shim(home: &Path) -> String {
    let (source, library) = (home.join("clock.c"), home.join("clock.so"));
    fs::write(&source, SHIM).unwrap();
    let built = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-o"])
        .args([&library, &source])
        .arg("-ldl")
        .status();
    assert!(built.unwrap().success());
    library.to_str().unwrap().to_owned()
}

/// In one piece, so that no half of a number is read.
fn set(step: &Path, seconds: &str) {
    let whole = step.with_extension("new");
    fs::write(&whole, seconds).unwrap();
    fs::rename(whole, step).unwrap();
}

#[test]
fn a_wall_clock_that_is_set_holds_no_way_out_up() {
    let home = tempfile::tempdir().unwrap();
    let (library, step) = (shim(home.path()), home.path().join("step"));
    let variables = [
        ("LD_PRELOAD", library.as_str()),
        ("STEP", step.to_str().unwrap()),
    ];
    let mut session = Session::start_with(home.path(), SIZE, &["demo"], &variables);
    session.wait_for("1 Positions 5");
    session.press("7");
    set(&step, "3600");
    session.wait_for("clock was set by +3600 s");
    set(&step, "-120");
    session.wait_for("clock was set by -3720 s");
    session.press("X");
    session.wait_for(" submitted");
    session.wait_until("the positions gone", |screen| {
        screen.contains("1 Positions 0") || screen.contains("1 Positions 1")
    });
    session.press("\u{3}");
    assert_given_back(session, 0);
}
