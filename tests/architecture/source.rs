//! Reads Rust just well enough to see which paths a file names and which strings it has: comments and test parts are left
//! out, groups in `use` are opened.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

pub(crate) struct Source {
    pub(crate) path: String,
    /// Where the file stands in the crate: `["app", "form", "size"]`.
    pub(crate) module: Vec<String>,
    /// What `use` brings in, in full.
    uses: Vec<Vec<String>>,
    /// Paths written out in the code.
    inline: Vec<Vec<String>>,
    /// Names in scope through `use`.
    imported: BTreeSet<String>,
    /// Submodules that exist under test only.
    test_modules: Vec<PathBuf>,
    /// String literals as the program has them, without those of attributes that nobody reads.
    pub(crate) literals: Vec<String>,
}

/// Every production file under `dir`.
pub(crate) fn sources(dir: &Path) -> Vec<Source> {
    let all: Vec<_> = files(dir)
        .iter()
        .map(|path| Source::read(path.to_str().unwrap(), &fs::read_to_string(path).unwrap()))
        .collect();
    let tests: Vec<_> = all
        .iter()
        .flat_map(|file| file.test_modules.clone())
        .collect();
    let under_test = |file: &Source| {
        let path = Path::new(&file.path).with_extension("");
        tests.iter().any(|test| path.starts_with(test))
    };
    all.into_iter().filter(|file| !under_test(file)).collect()
}

fn files(dir: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<_> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    let nested = |path: PathBuf| {
        if path.is_dir() {
            files(&path)
        } else {
            vec![path]
        }
    };
    let mut files: Vec<_> = paths.into_iter().flat_map(nested).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "rs"));
    files
}

impl Source {
    pub(crate) fn read(path: &str, text: &str) -> Self {
        let module = module_of(path);
        let (code, test_names) = without_tests(&tokens(text));
        let literals = literals(&code);
        let code: Vec<_> = code.into_iter().filter(|t| !is_literal(t)).collect();
        let (uses, inline) = paths(&code);
        let mut imported = BTreeSet::new();
        let uses = uses
            .into_iter()
            .map(|(path, name)| {
                imported.insert(name);
                path
            })
            .collect();
        let parent = Path::new("src").join(module.join("/"));
        let test_modules = test_names.iter().map(|name| parent.join(name)).collect();
        Self {
            path: path.to_owned(),
            module,
            uses,
            inline,
            imported,
            test_modules,
            literals,
        }
    }

    /// Modules of this crate that the file names, its own among them.
    pub(crate) fn own_modules(&self, known: &BTreeSet<&str>) -> BTreeSet<String> {
        let all = self.uses.iter().chain(&self.inline);
        all.filter_map(|path| self.root(path))
            .filter(|root| known.contains(root.as_str()))
            .collect()
    }

    /// The first name below the crate, for paths that begin at `crate` or climb to it by `super`.
    fn root(&self, path: &[String]) -> Option<String> {
        if path[0] == "crate" {
            return path.get(1).cloned();
        }
        let climbs = path.iter().take_while(|name| *name == "super").count();
        (climbs >= self.module.len())
            .then(|| path.get(climbs).cloned())
            .flatten()
    }

    /// The paths that the file names within this module, from there on.
    pub(crate) fn names_within(&self, module: &[&str]) -> BTreeSet<Vec<String>> {
        let all = self.uses.iter().chain(&self.inline);
        all.filter_map(|path| self.absolute(path))
            .filter_map(|path| {
                let (head, rest) = path.split_at_checked(module.len())?;
                (head == module && !rest.is_empty()).then(|| rest.to_vec())
            })
            .collect()
    }

    /// From the crate on, for paths that begin at `crate` or climb by `super`.
    fn absolute(&self, path: &[String]) -> Option<Vec<String>> {
        if path[0] == "crate" {
            return Some(path[1..].to_vec());
        }
        let climbs = path.iter().take_while(|name| *name == "super").count();
        let here = self.module.len().checked_sub(climbs)?;
        (climbs > 0).then(|| [&self.module[..here], &path[climbs..]].concat())
    }

    pub(crate) fn names_crate(&self, name: &str) -> bool {
        let used = self.uses.iter().any(|path| path[0] == name);
        let written = self.inline.iter().any(|path| path[0] == name);
        used || (written && !self.imported.contains(name))
    }

    /// Whether the file is `place` under `src`, or within it.
    pub(crate) fn is_within(&self, place: &str) -> bool {
        Path::new(&self.module.join("/")).starts_with(place)
    }
}

/// `src/app/forms/form.rs` is `app::form`; `src/main.rs` is called `main`.
fn module_of(path: &str) -> Vec<String> {
    let path = Path::new(path)
        .strip_prefix("src")
        .unwrap()
        .with_extension("");
    let mut names: Vec<_> = path
        .iter()
        .map(|name| name.to_str().unwrap().to_owned())
        .collect();
    if names.last().is_some_and(|name| name == "mod") {
        names.pop();
    }
    names
}

/// Names, `::`, single marks and string literals as `"text` (without the closing quote); comments and characters are gone.
fn tokens(text: &str) -> Vec<String> {
    let mut out = vec![];
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if let Some((taken, text)) = literal(rest) {
            out.push(format!("\"{text}"));
            rest = &rest[taken..];
            continue;
        }
        let taken = skipped(rest).unwrap_or_else(|| {
            let taken = if first.is_alphanumeric() || first == '_' {
                rest.find(|c: char| !c.is_alphanumeric() && c != '_')
                    .unwrap_or(rest.len())
            } else if rest.starts_with("::") {
                2
            } else {
                first.len_utf8()
            };
            if !first.is_whitespace() {
                out.push(rest[..taken].to_owned());
            }
            taken
        });
        rest = &rest[taken..];
    }
    out
}

/// The length of what says nothing about paths, if that is what comes next.
fn skipped(rest: &str) -> Option<usize> {
    let until = |from: usize, end: &str| {
        rest[from..]
            .find(end)
            .map_or(rest.len(), |at| from + at + end.len())
    };
    if rest.starts_with("//") {
        return Some(until(2, "\n"));
    }
    if rest.starts_with("/*") {
        return Some(until(2, "*/"));
    }
    let mut chars = rest.strip_prefix('\'')?.chars();
    match (chars.next()?, chars.next()) {
        ('\\', _) => Some(until(3, "'")),
        (c, Some('\'')) => Some(2 + c.len_utf8()),
        _ => Some(1),
    }
}

/// A string literal that comes next: its length in the source, and its text.
fn literal(rest: &str) -> Option<(usize, String)> {
    let bare = rest.strip_prefix('b').unwrap_or(rest);
    let prefix = rest.len() - bare.len();
    if let Some(raw) = bare.strip_prefix('r') {
        let hashes = raw.len() - raw.trim_start_matches('#').len();
        let text = raw[hashes..].strip_prefix('"')?;
        let end = text.find(&format!("\"{}", "#".repeat(hashes)))?;
        let length = prefix + 2 + hashes + end + 1 + hashes;
        return Some((length, text[..end].to_owned()));
    }
    let text = bare.strip_prefix('"')?;
    let end = closing_quote(text);
    Some((prefix + 2 + end, unescaped(&text[..end])))
}

fn closing_quote(text: &str) -> usize {
    let mut escaped = false;
    let closes = |(_, c): &(usize, char)| {
        let is_end = *c == '"' && !escaped;
        escaped = *c == '\\' && !escaped;
        is_end
    };
    text.char_indices().find(closes).unwrap().0
}

/// A line that goes on (`\` at its end) is one line; other escapes stay as they are written, quotes apart.
fn unescaped(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        out.push_str(before);
        rest = match after.chars().next() {
            Some('\n') => after.trim_start(),
            Some('"') | None => after,
            Some(c) => {
                out.extend(['\\', c]);
                &after[c.len_utf8()..]
            }
        };
    }
    out + rest
}

fn is_literal(token: &str) -> bool {
    token.starts_with('"')
}

/// Attributes whose texts a person reads: error messages, labels of actions, help.
const READ: [&str; 5] = ["error", "strum", "arg", "command", "value"];

/// The texts of the literals; of attributes only those in [`READ`].
fn literals(code: &[String]) -> Vec<String> {
    let (mut found, mut at) = (vec![], 0);
    while let Some(token) = code.get(at) {
        let opens = |at: usize, mark| code.get(at).is_some_and(|token| token == mark);
        let brackets = if opens(at + 1, "!") { at + 2 } else { at + 1 };
        if token == "#"
            && opens(brackets, "[")
            && !READ.iter().any(|name| opens(brackets + 1, name))
        {
            at = attribute_end(code, brackets);
            continue;
        }
        found.extend(token.strip_prefix('"').map(str::to_owned));
        at += 1;
    }
    found
}

/// Behind the bracket that closes the one at `start`.
fn attribute_end(code: &[String], start: usize) -> usize {
    let mut depth = 0_usize;
    for (at, token) in code.iter().enumerate().skip(start) {
        match token.as_str() {
            "[" => depth += 1,
            "]" if depth == 1 => return at + 1,
            "]" => depth -= 1,
            _ => {}
        }
    }
    code.len()
}

/// Leaves out every item under `#[cfg(test)]`, and names the modules declared so.
fn without_tests(tokens: &[String]) -> (Vec<String>, Vec<String>) {
    const GATE: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];
    let (mut code, mut modules, mut at) = (vec![], vec![], 0);
    while at < tokens.len() {
        if tokens[at..].iter().take(GATE.len()).ne(GATE.iter()) {
            code.push(tokens[at].clone());
            at += 1;
            continue;
        }
        let item = &tokens[at + GATE.len()..];
        let end = item_end(item);
        if let Some(name) = item[..end].iter().position(|token| token == "mod") {
            modules.extend(item.get(name + 1).cloned());
        }
        at += GATE.len() + end;
    }
    (code, modules)
}

/// Up to and with the `;` or the block that ends an item.
fn item_end(item: &[String]) -> usize {
    let mut depth = 0;
    for (at, token) in item.iter().enumerate() {
        match token.as_str() {
            "{" => depth += 1,
            "}" if depth == 1 => return at + 1,
            "}" => depth -= 1,
            ";" if depth == 0 => return at + 1,
            _ => {}
        }
    }
    item.len()
}

type Uses = Vec<(Vec<String>, String)>;

fn paths(tokens: &[String]) -> (Uses, Vec<Vec<String>>) {
    let (mut uses, mut inline, mut at) = (vec![], vec![], 0);
    while at < tokens.len() {
        // `use<…>` in a type says what an `impl` captures; it names nothing.
        let captures = tokens.get(at + 1).is_some_and(|next| next == "<");
        if tokens[at] == "use" && !captures {
            let end = at + tokens[at..].iter().position(|token| token == ";").unwrap();
            open(&tokens[at + 1..end], &[], &mut uses);
            at = end;
        } else if tokens.get(at + 1).is_some_and(|next| next == "::") {
            let path: Vec<_> = tokens[at..].chunks(2).map_while(step).collect();
            at += 2 * path.len();
            inline.push(path.into_iter().chain(tokens.get(at).cloned()).collect());
        }
        at += 1;
    }
    (uses, inline)
}

/// A name with `::` behind it.
fn step(pair: &[String]) -> Option<String> {
    matches!(pair, [_, colons] if colons == "::").then(|| pair[0].clone())
}

/// Opens `a::{b, c::{d as e}}` into `a::b` and `a::c::d`, each with the name it is known by.
fn open(tree: &[String], prefix: &[String], out: &mut Uses) {
    let mut path = prefix.to_vec();
    let mut rest = tree;
    while let [name, more @ ..] = rest {
        match name.as_str() {
            "::" => {}
            "as" => break,
            "{" => return group(&more[..more.len() - 1], &path, out),
            _ => path.push(name.clone()),
        }
        rest = more;
    }
    let known_as = rest
        .get(1)
        .or_else(|| path.iter().rfind(|name| *name != "self"));
    if let Some(name) = known_as.cloned() {
        out.push((path, name));
    }
}

fn group(list: &[String], prefix: &[String], out: &mut Uses) {
    let (mut depth, mut start) = (0, 0);
    for (at, token) in list.iter().enumerate() {
        match token.as_str() {
            "{" => depth += 1,
            "}" => depth -= 1,
            "," if depth == 0 => {
                open(&list[start..at], prefix, out);
                start = at + 1;
            }
            _ => {}
        }
    }
    open(&list[start..], prefix, out);
}
