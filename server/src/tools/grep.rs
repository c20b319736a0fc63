//! `grep`: lines by a regular expression, as they are on disk.

use std::io::{self, Read};
use std::path::Path;
use std::time::Duration;

use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::sinks::Lossy;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};
use ignore::DirEntry;
use serde::Deserialize;
use serde_json::{Value, json};
use sidewire_agent::permission::Intent;
use sidewire_agent::tool::{Tool, ToolCallContext, ToolKind, ToolMeta, ToolOutput};
use sidewire_agent::workspace::{Roots, Workspace as _};

use super::call::{self, CallError, Described, FILE_LIMIT, shown_path};
use super::local_workspace::{HEAD, LocalWorkspace, decode, is_binary};
use super::search::{self, Area, Bounds, Budget, PATIENCE, Patience, Pattern, look};

/// Most lines of one answer.
const HITS: usize = 200;
/// Most bytes of one line.
const LINE_BYTES: usize = 500;
const SECONDS: u64 = 30;
const MOST_SECONDS: u64 = 300;
/// Longest line that is searched.
const LINE_MEMORY: usize = 16 * 1024 * 1024;

/// The tool.
pub(crate) struct Grep {
    meta: ToolMeta,
    workspace: LocalWorkspace,
}

#[derive(Deserialize)]
struct Arguments {
    pattern: String,
    #[serde(default)]
    path: Option<String>,
    #[serde(default)]
    glob: Option<String>,
    #[serde(default, deserialize_with = "call::number")]
    timeout_seconds: Option<u64>,
}

impl Grep {
    /// The tool.
    pub(crate) fn new(workspace: LocalWorkspace) -> Self {
        let described = Described {
            name: "grep",
            label: "Search",
            description: "Searches files on disk for a regular expression (Rust syntax, `(?i)` ignores case) and gives \
                          `path:line:text`, at most 200 lines. `glob` limits it to some files, such as `*.ts`. Files \
                          that the project ignores are searched only when nothing else has a match, and then not for \
                          long (a folder of them can be named as `path`); binary files never.",
            kind: ToolKind::Search,
            read_only: true,
        };
        let meta = described.taking(
            &["pattern"],
            &json!({
                "pattern": { "type": "string", "description": "The regular expression; it matches within a line" },
                "path": { "type": "string", "description": "A folder or a file; the working folder if not given" },
                "glob": { "type": "string", "description": "Only files that match this pattern" },
                "timeout_seconds": { "type": "integer", "minimum": 1, "maximum": MOST_SECONDS, "description": "30 if not given" },
            }),
        );
        Self { meta, workspace }
    }

    async fn search(&self, call: &ToolCallContext) -> Result<ToolOutput, CallError> {
        let asked: Arguments = call::read(&call.arguments)?;
        let seconds = asked.timeout_seconds.unwrap_or(SECONDS).clamp(1, MOST_SECONDS);
        let bounds = Bounds::new(call, Duration::from_secs(seconds));
        let workspace = self.workspace.clone();
        let told = look(move || search(&workspace, &asked, &bounds)).await?;
        Ok(ToolOutput::text(told))
    }
}

fn search(workspace: &LocalWorkspace, asked: &Arguments, bounds: &Bounds) -> Result<String, CallError> {
    let area = Area::find(workspace, asked.path.as_deref(), bounds)?;
    let only = asked
        .glob
        .as_deref()
        .map(|glob| Pattern::new(glob, &area.base))
        .transpose()?;
    let hunt = Hunt {
        workspace,
        matcher: matcher(&asked.pattern)?,
        only,
        budget: Budget::whole(bounds),
        hits: Vec::new(),
    };
    Ok(hunt.told(&area, PATIENCE))
}

fn matcher(pattern: &str) -> Result<RegexMatcher, CallError> {
    RegexMatcherBuilder::new()
        .line_terminator(Some(b'\n'))
        .build(pattern)
        .map_err(|error| CallError::Said(format!("invalid pattern: {error}")))
}

/// A search that is under way.
struct Hunt<'a> {
    workspace: &'a LocalWorkspace,
    matcher: RegexMatcher,
    only: Option<Pattern>,
    budget: Budget<'a>,
    /// One more than are shown, so that it is known whether there are more.
    hits: Vec<String>,
}

impl Hunt<'_> {
    /// What the model is told: of the project's own files, or else of those that it ignores.
    fn told(mut self, area: &Area, patience: Patience) -> String {
        self.run(&area.base, area.files(self.workspace).map(Some));
        if !self.hits.is_empty() || self.budget.is_cut() {
            return self.lines("it took too long to search everything; narrow the path or the glob");
        }
        self.budget = self.budget.brief(patience);
        self.run(&area.base, area.ignored_files(self.workspace));
        let rest = "those that it ignores were not all searched; a folder of them can be named as `path`";
        match (self.hits.as_slice(), self.budget.is_cut()) {
            ([], true) => format!("no matches in the project's files; {rest}"),
            ([], false) => "no matches".to_owned(),
            _ => format!("[only in files that the project ignores]\n{}", self.lines(rest)),
        }
    }

    /// What was found; `cut` is said when that may not be all.
    fn lines(&self, cut: &str) -> String {
        let mut told = match self.hits.get(..HITS).unwrap_or(&self.hits) {
            [] => "no matches".to_owned(),
            hits => hits.join("\n"),
        };
        if self.hits.len() > HITS {
            told.push_str(&format!(
                "\n[more than {HITS} matches; narrow the pattern, the path or the glob]"
            ));
        } else if self.budget.is_cut() {
            told.push_str(&format!("\n[{cut}]"));
        }
        told
    }

    fn run(&mut self, base: &Path, files: impl Iterator<Item = Option<DirEntry>>) {
        let mut searcher = SearcherBuilder::new()
            .binary_detection(BinaryDetection::quit(0))
            .heap_limit(Some(LINE_MEMORY))
            .line_number(true)
            .build();
        for entry in files {
            if self.hits.len() > HITS || self.budget.is_over() {
                return;
            }
            let Some(entry) = entry else { continue };
            self.budget.spend(Budget::FILE);
            let below = entry.path().strip_prefix(base).unwrap_or(entry.path());
            // A file that is named itself is searched whatever its name is.
            let named = below.as_os_str().is_empty();
            if named || self.only.as_ref().is_none_or(|only| only.fits(below)) {
                self.search_file(&mut searcher, entry.path());
            }
        }
    }

    fn search_file(&mut self, searcher: &mut Searcher, path: &Path) {
        let Ok(file) = self.workspace.open_file(path) else {
            return;
        };
        let shown = shown_path(path, self.workspace.roots());
        let file = Bounded {
            file,
            budget: &self.budget,
        };
        let Ok(text) = readable(file) else {
            return;
        };
        let hits = &mut self.hits;
        let sink = Lossy(|line, text| {
            hits.push(hit(&shown, line, text));
            Ok(hits.len() <= HITS)
        });
        // A file that cannot be read further is left with what was found so far.
        let _read_as_far_as_it_goes = searcher.search_reader(&self.matcher, text, sink);
    }
}

/// The bytes of a file; those of a text in an older encoding as UTF-8. Of what is no text only the head is read.
fn readable<F: Read>(mut file: F) -> io::Result<impl Read + use<F>> {
    let mut bytes = Vec::new();
    file.by_ref().take(HEAD).read_to_end(&mut bytes)?;
    if is_binary(&bytes) {
        return Err(io::ErrorKind::InvalidData.into());
    }
    file.by_ref().take(FILE_LIMIT - HEAD).read_to_end(&mut bytes)?;
    if !is_utf8(&bytes)
        && let Some((text, _)) = decode(&bytes)
    {
        bytes = text.into_bytes();
    }
    Ok(io::Cursor::new(bytes).chain(file))
}

/// Whether the beginning of a file is UTF-8; where it is cut, that may be within a character.
fn is_utf8(beginning: &[u8]) -> bool {
    let is_cut = u64::try_from(beginning.len()).is_ok_and(|length| length >= FILE_LIMIT);
    match std::str::from_utf8(beginning) {
        Ok(_) => true,
        Err(error) => is_cut && error.error_len().is_none(),
    }
}

fn hit(path: &str, line: u64, text: &str) -> String {
    let text = text.trim_end_matches(['\n', '\r']);
    let end = text.floor_char_boundary(LINE_BYTES);
    let (kept, rest) = text.split_at(end);
    let cut = if rest.is_empty() { "" } else { "…" };
    format!("{path}:{line}:{kept}{cut}")
}

/// A file that is read no longer than it may take.
struct Bounded<'a> {
    file: std::fs::File,
    budget: &'a Budget<'a>,
}

impl Read for Bounded<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.budget.is_over() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        let read = self.file.read(buffer)?;
        self.budget.spend(read);
        Ok(read)
    }
}

#[async_trait::async_trait]
impl Tool for Grep {
    fn meta(&self) -> &ToolMeta {
        &self.meta
    }

    fn title(&self, arguments: &Value) -> String {
        search::titled("Search", arguments)
    }

    fn intent(&self, arguments: &Value, roots: Option<&Roots>) -> Intent {
        search::intent(arguments, roots)
    }

    async fn call(&self, call: ToolCallContext) -> ToolOutput {
        self.search(&call).await.unwrap_or_else(Into::into)
    }
}

#[cfg(test)]
mod tests;
