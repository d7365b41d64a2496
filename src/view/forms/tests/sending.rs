//! The request, what became of it, and what stands in its way.

use super::*;

#[test]
fn the_exact_request_is_shown() {
    let mut model = limit_buy("0.10", "60000");
    press(&mut model, "tab tab right ctrl-j");
    assert_eq!(
        view(&model).json.unwrap(),
        "POST /v1/orders\n{\"type\":\"limit\",\"account_id\":\"chal-1\",\"market_id\":\"paper|BTC\",\"side\":\"buy\",\
         \"size\":0.10,\"expected_price\":64000,\"leverage\":10,\"margin_mode\":\"cross\",\"reduce_only\":false,\
         \"time_in_force\":\"ioc\",\"limit_price\":60000}"
    );
}

#[test]
fn a_form_that_cannot_be_sent_yet_shows_why_instead_of_a_request() {
    let mut model = desk();
    press(&mut model, "b ctrl-j");
    assert_eq!(view(&model).json.unwrap(), "not yet: size: required");
}

#[test]
fn a_refusal_is_told_with_its_references_and_beside_the_field_it_names() {
    let mut model = limit_buy("0.1", "60000");
    press(&mut model, "enter");
    let refused = Failure {
        code: Some("invalid_tick".into()),
        rule_id: Some("tick".into()),
        request_id: Some("7f1c".into()),
        ..Failure::new(FailureKind::Invalid, "limit_price 60000 is off the tick")
    };
    settle(&mut model, Ticket(1), Err(refused));
    press(&mut model, "U");
    let shown = view(&model);
    assert_eq!(
        words(&shown.trouble),
        [
            "rejected: limit_price 60000 is off the tick",
            "code invalid_tick · rule tick · request 7f1c"
        ]
    );
    assert_eq!(
        shown.fields[4].fault.as_deref(),
        Some("limit_price 60000 is off the tick")
    );
    assert_eq!(shown.fields[3].fault, None);
}

#[test]
fn while_the_outcome_is_unknown_the_line_below_says_when_it_asks_again() {
    let mut model = desk();
    press(&mut model, "b 0.1 enter");
    let progress = Progress::Unknown {
        why: Failure::new(FailureKind::TimedOut, "10 s without an answer"),
        retry_at: model.account.now.plus(Duration::from_secs(4)),
        then: crate::model::FollowUp::Again,
    };
    let now = model.account.now;
    update(&mut model, now, Msg::Progress(Ticket(1), progress));
    let pending = crate::view::panels::strip::pending_commands(&crate::view::text::Scene::of(
        &model,
        &crate::model::Zone::utc(),
    ));
    let line = pending.into_iter().flat_map(|command| command.words);
    let line: Vec<_> = line.map(|span| span.text).collect();
    let words = line.concat();
    assert!(
        words.contains("buy 0.1 BTC market: timed out; perpdeck repeats the request in 4s"),
        "{words}"
    );
}

#[test]
fn doubts_about_what_was_meant_are_told_and_block_nothing() {
    let mut model = limit_buy("1", "60000");
    let facts = AccountFacts {
        available_margin: Some(num("1000")),
        ..AccountFacts::default()
    };
    arrive(&mut model, Answer::Account(Ok(facts)));
    press(
        &mut model,
        "tab tab right tab 59000 tab 61000 tab ctrl-u 10 tab tab",
    );
    assert_eq!(
        words(&view(&model).trouble),
        [
            "needs 6,000.00 USD of margin; 1,000.00 is available",
            "ioc would not fill: the limit does not reach the market",
            "a long's target must be above its entry (a short's below)",
            "a long's stop must be below its entry (a short's above)",
        ]
    );
    assert_eq!(press(&mut model, "enter").len(), 1);
}

#[test]
fn a_leverage_that_the_market_takes_of_nobody_is_told_beside_it_and_not_sent() {
    let mut model = limit_buy("1", "60000");
    press(&mut model, "tab tab tab tab tab ctrl-u 50");
    let told = |model: &Model| {
        let mut fields = view(model).fields.into_iter();
        let focused = fields.find(|field| field.focused)?;
        Some((focused.field, focused.fault?))
    };
    let why = "above 40, the most this market takes".to_owned();
    assert_eq!(told(&model), Some((Field::Leverage, why)));
    assert_eq!(press(&mut model, "enter"), vec![]);
    press(&mut model, "ctrl-u 40");
    assert_eq!(told(&model), None);
    assert_eq!(press(&mut model, "enter").len(), 1);
}

#[test]
fn a_form_on_a_halted_desk_says_at_once_that_it_is_and_which_key_trades_on() {
    let mut model = desk();
    let now = model.account.now;
    update(&mut model, now, Msg::Halted(Some("flattened".to_owned())));
    press(&mut model, "esc b");
    let why = "the desk is HALTED, flattened: R on the desk resumes entries";
    assert_eq!(words(&view(&model).trouble), [why]);
    press(&mut model, "0.1 enter");
    let said: Vec<_> = words(&view(&model).trouble)
        .concat()
        .matches("HALTED")
        .map(str::to_owned)
        .collect();
    assert_eq!(said.len(), 1, "and not twice when it is tried");
    press(&mut model, "esc esc c");
    assert_eq!(
        words(&view(&model).trouble),
        Vec::<&str>::new(),
        "a close is sent"
    );
}

#[test]
fn why_a_key_did_nothing_is_not_said_any_more_when_something_else_is_done() {
    let mut model = desk();
    press(&mut model, "m");
    assert!(model.account.activity.toast(model.account.now).is_some());
    press(&mut model, "b");
    assert_eq!(
        crate::view::panels::toast::toast(&model),
        None,
        "it was about another row"
    );
    press(&mut model, "=");
    let why = crate::view::panels::toast::toast(&model);
    let why = why.map(|toast| crate::view::plain_text(&toast.words));
    assert_eq!(why.as_deref(), Some("there is no price field to fill"));
    press(&mut model, "1");
    assert_eq!(crate::view::panels::toast::toast(&model), None);
}

#[test]
fn a_close_of_what_is_no_longer_listed_says_so_and_may_still_be_sent() {
    let mut model = desk();
    press(&mut model, "c");
    wait(&mut model, 1_000);
    arrive(&mut model, Answer::Positions(Ok(Page::default())));
    assert_eq!(
        words(&view(&model).trouble),
        ["not in the latest list of open positions"]
    );
    assert_eq!(press(&mut model, "enter").len(), 1);
}

#[test]
fn a_price_that_has_not_come_for_three_intervals_is_shown_as_late() {
    let mut model = desk();
    let second = Duration::from_secs(1);
    model
        .account
        .options
        .intervals
        .insert(Source::Markets, second);
    press(&mut model, "b");
    let tone = |model: &Model| view(model).preview.last().unwrap().1.tone;
    wait(&mut model, 3_000);
    assert_eq!(tone(&model), Tone::Plain);
    wait(&mut model, 1);
    assert_eq!(tone(&model), Tone::Warn);
}

#[test]
fn a_refused_paste_says_why() {
    let mut model = desk();
    press(&mut model, "b");
    let now = model.account.now;
    update(&mut model, now, Msg::Paste("1\n2".to_owned()));
    assert_eq!(
        words(&view(&model).trouble),
        ["not pasted: more than one line"]
    );
}

#[test]
fn what_a_refusal_says_of_a_field_stands_beside_it_and_the_rest_under_the_form() {
    let mut model = desk();
    let sent = press(&mut model, "b 0 . 1 enter");
    let [Effect::Send(ticket, _)] = sent.as_slice() else {
        panic!("{sent:?}");
    };
    let issue = |field: &str, issue: &str| crate::model::FieldIssue {
        field: field.into(),
        issue: issue.into(),
    };
    let why = Failure {
        status: Some(400),
        fields: [issue("size", "too small"), issue("body", "odd")].into(),
        ..Failure::new(FailureKind::Invalid, "the request is not valid")
    };
    settle(&mut model, *ticket, Err(why));
    press(&mut model, "U");
    let Some(crate::app::dialogs::overlay::Overlay::Form(open)) = model.overlays.last() else {
        panic!("no form");
    };
    let view = crate::view::forms::form::form(open, &model);
    let size = view.fields.iter().find(|field| field.field == Field::Size);
    assert_eq!(size.unwrap().fault.as_deref(), Some("too small"));
    let trouble: Vec<_> = view.trouble.into_iter().map(|line| line.text).collect();
    assert!(trouble.contains(&"body: odd".to_owned()), "{trouble:?}");
}

#[test]
fn a_refused_strategy_of_a_twap_stands_beside_its_type() {
    let mut model = desk();
    let sent = press(&mut model, "t 0.5 tab 30 enter");
    let [Effect::Send(ticket, _)] = sent.as_slice() else {
        panic!("{sent:?}");
    };
    let why = Failure {
        status: Some(400),
        fields: [crate::model::FieldIssue {
            field: "strategy".into(),
            issue: "no vwap here".into(),
        }]
        .into(),
        ..Failure::new(FailureKind::Invalid, "the request is not valid")
    };
    settle(&mut model, *ticket, Err(why));
    press(&mut model, "U");
    let Some(crate::app::dialogs::overlay::Overlay::Form(open)) = model.overlays.last() else {
        panic!("no form");
    };
    let view = crate::view::forms::form::form(open, &model);
    let mut fields = view.fields.iter();
    let curve = fields.find(|field| field.field == Field::Curve);
    assert_eq!(curve.unwrap().fault.as_deref(), Some("no vwap here"));
}
