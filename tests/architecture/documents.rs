//! What comments and pages point at is there: sections by number, links by path and heading.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

#[test]
fn every_section_that_a_comment_or_a_page_cites_exists() {
    let sections = sections();
    let mut lost = vec![];
    for file in files(
        &["src", "tests", "benches", "fuzz/src", "docs"],
        &["rs", "md"],
    ) {
        let text = fs::read_to_string(&file).unwrap();
        let cited = text.lines().flat_map(citations);
        let unknown = cited.filter(|cited| !sections.contains(cited));
        lost.extend(unknown.map(|(page, number)| format!("{}: {page} {number}", file.display())));
    }
    assert_eq!(lost, Vec::<String>::new());
}

#[test]
fn every_link_between_pages_leads_somewhere() {
    let mut broken = vec![];
    for file in pages() {
        let text = fs::read_to_string(&file).unwrap();
        let lost = links(&text)
            .into_iter()
            .filter(|target| !leads(&file, target));
        broken.extend(lost.map(|target| format!("{}: {target}", file.display())));
    }
    assert_eq!(broken, Vec::<String>::new());
}

#[test]
fn every_file_that_a_page_names_exists() {
    let mut lost = vec![];
    for page in files(&["docs"], &["md"]) {
        let text = fs::read_to_string(&page).unwrap();
        let named = prose(&text).into_iter().flat_map(named_files);
        let missing = named.filter(|path| !Path::new(path).exists());
        lost.extend(missing.map(|path| format!("{}: {path}", page.display())));
    }
    assert_eq!(lost, Vec::<String>::new());
}

#[test]
fn the_summary_of_the_book_lists_every_page_once() {
    let summary = fs::read_to_string("docs/SUMMARY.md").unwrap();
    let mut listed: Vec<_> = links(&summary).into_iter().collect();
    listed.retain(|target| !target.starts_with("../"));
    listed.sort();
    let pages = files(&["docs"], &["md"]).into_iter();
    let pages = pages.map(|page| page.strip_prefix("docs").unwrap().display().to_string());
    let pages: Vec<_> = pages.filter(|page| page != "SUMMARY.md").collect();
    assert_eq!(listed, pages);
}

#[test]
fn every_message_in_a_heading_of_the_troubleshooting_is_one_of_the_program() {
    let words = fs::read_to_string("tests/architecture/words.txt").unwrap();
    let page = fs::read_to_string("docs/troubleshooting.md").unwrap();
    let quoted = headings(&page).into_iter().flat_map(quotes);
    let quoted: Vec<_> = quoted.collect();
    assert!(quoted.len() > 10, "{quoted:?}");
    let unknown = quoted.iter().filter(|quoted| {
        let mut messages = words.lines().filter_map(|line| {
            let message = line.strip_prefix('"')?;
            message.strip_suffix('"')
        });
        !messages.any(|message| message.contains(**quoted) || is_made_from(message, quoted))
    });
    assert_eq!(unknown.collect::<Vec<_>>(), Vec::<&&str>::new());
}

#[test]
fn a_message_is_recognized_with_values_in_its_places() {
    assert!(is_made_from("LIMITED {left}", "LIMITED 7s"));
    assert!(is_made_from(
        "needs {w}x{h}, is {}",
        "needs 60x16, is 50x10"
    ));
    assert!(is_made_from("service clock ", "service clock +1h"));
    assert!(!is_made_from("LIMITED {left}", "UNLIMITED 7s"));
    assert!(!is_made_from("{} s", "9 s"), "too little to recognize");
}

#[test]
fn a_citation_is_read_with_each_of_its_numbers() {
    let read = |line| {
        citations(line)
            .into_iter()
            .map(|(page, number)| format!("{page} {number}"))
            .collect::<Vec<_>>()
    };
    let several =
        "//! Closing (docs/engine.md 2.9, 2.10, 8), see `docs/delivery.md 5.1`: 14 to 16.";
    assert_eq!(
        read(several),
        ["engine 2.9", "engine 2.10", "engine 8", "delivery 5.1"]
    );
    assert_eq!(
        read("as [delivery.md](delivery.md) 8.5 says"),
        ["delivery 8.5"]
    );
    assert_eq!(read("docs/engine.md 7.1, `order_cooldown`"), ["engine 7.1"]);
    assert_eq!(read("README.md 5, docs/engine.md"), [""; 0]);
}

#[test]
fn a_heading_is_linked_to_as_forges_do() {
    assert_eq!(slug("A golden run in CI"), "a-golden-run-in-ci");
    assert_eq!(
        slug("TWAP, VWAP and `scaled` orders"),
        "twap-vwap-and-scaled-orders"
    );
}

/// Page and number.
type Section = (String, String);

/// Every numbered heading of every page in `docs`.
fn sections() -> BTreeSet<Section> {
    let mut sections = BTreeSet::new();
    for file in files(&["docs"], &["md"]) {
        let page = file.file_stem().unwrap().to_str().unwrap().to_owned();
        for heading in headings(&fs::read_to_string(&file).unwrap()) {
            let number = heading.split(' ').next().unwrap_or_default();
            let number = number.strip_suffix('.').unwrap_or(number);
            if number.starts_with(|c: char| c.is_ascii_digit()) {
                let is_new = sections.insert((page.clone(), number.to_owned()));
                assert!(is_new, "{page} has two sections {number}");
            }
        }
    }
    sections
}

/// The sections that a line cites: `docs/engine.md 2.9, 2.10`, or `[engine.md](engine.md) 2.9` within the pages.
fn citations(line: &str) -> Vec<Section> {
    let parts: Vec<&str> = line.split(".md").collect();
    let pairs = parts.iter().zip(parts.iter().skip(1));
    pairs
        .flat_map(|(before, after)| {
            let is_name = |c: char| c.is_ascii_lowercase() || c == '-';
            let name = before.rsplit(|c| !is_name(c)).next().unwrap_or_default();
            let path = before.strip_suffix(name).unwrap_or_default();
            let is_ours = path.ends_with("docs/") || path.ends_with('(');
            let numbers = if is_ours { numbers(after) } else { vec![] };
            numbers.into_iter().map(|number| (name.to_owned(), number))
        })
        .collect()
}

/// `2.9, 2.10, 8` at the beginning of what stands behind the name of a page.
fn numbers(after: &str) -> Vec<String> {
    let after = after.strip_prefix(['`', ')']).unwrap_or(after);
    let Some(list) = after.strip_prefix(' ') else {
        return vec![];
    };
    let number = |item: &str| {
        let end = item.find(|c: char| !c.is_ascii_digit() && c != '.');
        let digits = item[..end.unwrap_or(item.len())].trim_end_matches('.');
        (!digits.is_empty()).then(|| digits.to_owned())
    };
    let numbers: Vec<_> = list.split(", ").map_while(number).collect();
    // What stands behind the last one is no number any more: it ends the list for whoever splits at commas.
    let whole = |item: &&str| item.chars().all(|c| c.is_ascii_digit() || c == '.');
    let complete = list.split(", ").take_while(whole).count();
    numbers.into_iter().take(complete + 1).collect()
}

/// Where the files of a page stand; a page may leave the beginning of a path to the one before it.
const TOPS: [&str; 6] = ["src/", "tests/", "assets/", "benches/", "fuzz/", ".ci/"];

/// What a line has between backticks that is a path of the repository.
fn named_files(line: &str) -> impl Iterator<Item = &str> {
    let paths = quotes(line).filter_map(|words| words.split(' ').next());
    paths.filter(|path| {
        let is_one = TOPS.iter().any(|top| path.starts_with(top));
        is_one && !path.contains('*') && !path.contains("TARGET")
    })
}

/// What a line has between backticks.
fn quotes(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// Whether a message with placeholders could read so, or begin what reads so.
fn is_made_from(message: &str, shown: &str) -> bool {
    let parts = message.split('{').enumerate().map(|(at, part)| match at {
        0 => part,
        _ => part.split_once('}').map_or("", |(_, after)| after),
    });
    let parts: Vec<_> = parts.collect();
    let letters = parts.iter().flat_map(|part| part.chars());
    let is_distinct = letters.filter(|c| c.is_alphabetic()).count() >= 3;
    let mut rest = shown;
    let fits = parts.iter().enumerate().all(|(at, part)| {
        let found = rest.find(part).filter(|found| at > 0 || *found == 0);
        found.is_some_and(|found| {
            rest = &rest[found + part.len()..];
            true
        })
    });
    is_distinct && fits
}

fn headings(text: &str) -> Vec<&str> {
    let lines = prose(text).into_iter();
    lines
        .filter(|line| line.starts_with('#'))
        .map(|line| line.trim_start_matches('#').trim())
        .collect()
}

/// Without what is between fences.
fn prose(text: &str) -> Vec<&str> {
    let mut fenced = false;
    let mut lines = vec![];
    for line in text.lines() {
        if line.starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            lines.push(line);
        }
    }
    lines
}

/// What a page links to.
fn links(text: &str) -> Vec<String> {
    let prose = prose(text).join("\n");
    let targets = prose.split("](").skip(1);
    targets
        .filter_map(|rest| rest.split_once(')'))
        .map(|(target, _)| target.to_owned())
        .collect()
}

fn leads(from: &Path, target: &str) -> bool {
    if target.contains("://") || target.starts_with("mailto:") {
        return true;
    }
    let (path, heading) = target.split_once('#').unwrap_or((target, ""));
    let file = match path {
        "" => from.to_owned(),
        _ => from.parent().unwrap().join(path),
    };
    if heading.is_empty() || !file.exists() {
        return file.exists();
    }
    let text = fs::read_to_string(&file).unwrap();
    headings(&text)
        .into_iter()
        .any(|title| slug(title) == heading)
}

fn slug(heading: &str) -> String {
    let kept = heading
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

fn pages() -> Vec<PathBuf> {
    let mut pages = files(&["docs"], &["md"]);
    let beside = [
        "README.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "CODE_OF_CONDUCT.md",
        "CHANGELOG.md",
        "fuzz/README.md",
    ];
    pages.extend(beside.map(PathBuf::from));
    pages
}

fn files(dirs: &[&str], extensions: &[&str]) -> Vec<PathBuf> {
    let mut found = vec![];
    for dir in dirs {
        collect(Path::new(dir), extensions, &mut found);
    }
    found.sort();
    found
}

fn collect(dir: &Path, extensions: &[&str], found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, extensions, found);
        } else if path
            .extension()
            .is_some_and(|end| extensions.iter().any(|wanted| end == *wanted))
        {
            found.push(path);
        }
    }
}
