//! `sidewire data`: take out or delete what was kept (decision 18). Works beside a running worker.

use std::fs;
use std::io::{self, IsTerminal as _, Write};
use std::path::Path;

use anyhow::{Context as _, bail};
use sidewire_agent::store::{ExportItem, Store, StoreError};
use sidewire_contract::layout::Layout;

use super::env::Env;
use crate::cli::DataCommand;
use crate::media::{Library, LibraryConfig};
use crate::private_file::stage_output;
use crate::ui;

/// Runs `sidewire data …`.
pub(crate) async fn run(env: &Env, command: DataCommand) -> anyhow::Result<()> {
    match command {
        DataCommand::Export { out } => export(&env.layout, out.as_deref()).await,
        DataCommand::Delete { yes } => {
            if !yes && !agreed()? {
                bail!("nothing was deleted");
            }
            delete(&env.layout).await?;
            ui::say(
                "deleted all conversations, their media, what MCP servers said about themselves, and logs; settings, pairings and your key (.env) stay",
            );
            Ok(())
        }
    }
}

async fn export(layout: &Layout, out: Option<&Path>) -> anyhow::Result<()> {
    let Some(path) = out else {
        let mut stdout = io::BufWriter::new(io::stdout());
        export_to(layout, &mut stdout).await?;
        return Ok(());
    };
    let mut file = stage_output(path)?;
    let conversations = {
        let mut buffered = io::BufWriter::new(&mut file);
        let conversations = export_to(layout, &mut buffered).await?;
        buffered.flush()?;
        conversations
    };
    file.commit()?;
    ui::say(format_args!(
        "wrote {conversations} conversations to {}",
        path.display()
    ));
    Ok(())
}

/// Writes a line for every conversation and for each of its turns; gives back how many conversations there were.
async fn export_to(layout: &Layout, out: &mut impl Write) -> anyhow::Result<usize> {
    let Some(store) = open(layout).await? else {
        return Ok(0);
    };
    let mut export = store.export(None);
    let mut conversations = 0;
    while let Some(item) = export.next_item().await? {
        conversations += usize::from(matches!(item, ExportItem::Conversation(_)));
        serde_json::to_writer(&mut *out, &item)?;
        out.write_all(b"\n")?;
    }
    out.flush()?;
    Ok(conversations)
}

fn agreed() -> anyhow::Result<bool> {
    if !io::stdin().is_terminal() {
        bail!("deleting everything needs --yes when nobody can be asked");
    }
    let question = dialoguer::Confirm::new().with_prompt("Delete all conversations and logs of Sidewire?");
    Ok(question.default(false).interact()?)
}

async fn delete(layout: &Layout) -> anyhow::Result<()> {
    if let Some(store) = open(layout).await? {
        let deleted = store.delete_all(None).await;
        // Whatever traces a busy file keeps, the pictures go.
        media(layout)?.collect(&store).await;
        match deleted {
            Ok(()) => {}
            Err(StoreError::Busy) => bail!(
                "the conversations are deleted, but traces stay in the file while a worker uses it; \
                 end it and run this again"
            ),
            Err(error) => return Err(error).context("failed to delete the conversations"),
        }
    }
    forget_tools(&layout.mcp_tools_folder())?;
    delete_logs(&layout.log_folder())
}

/// Removes what MCP servers offered last time: their words, which the next connection brings again.
fn forget_tools(folder: &Path) -> anyhow::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("failed to remove {}", folder.display()))
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

/// The media of all conversations; only cleared here, so that nothing else of it matters.
fn media(layout: &Layout) -> anyhow::Result<Library> {
    let config = LibraryConfig {
        folder: layout.media_folder(),
        quota: 0,
        search_path: None,
    };
    Library::open(config).context("failed to open the media folder")
}

/// Removes all log files but the newest, which is emptied: a running worker goes on writing to it.
fn delete_logs(folder: &Path) -> anyhow::Result<()> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error).with_context(|| format!("failed to read {}", folder.display())),
    };
    let paths = entries
        .map(|entry| Ok(entry?.path()))
        .collect::<io::Result<Vec<_>>>()?;
    let mut files: Vec<_> = paths
        .into_iter()
        .filter(|path| path.is_file() && !path.is_symlink())
        .collect();
    // Their names end in the day.
    files.sort();
    let newest = files.pop();
    for file in &files {
        fs::remove_file(file).with_context(|| format!("failed to remove {}", file.display()))?;
    }
    newest.map_or(Ok(()), |file| {
        empty(&file).with_context(|| format!("failed to empty {}", file.display()))
    })
}

fn empty(file: &Path) -> io::Result<()> {
    fs::File::options().write(true).open(file)?.set_len(0)
}

/// The store, if anything was ever kept.
async fn open(layout: &Layout) -> anyhow::Result<Option<Store>> {
    if !layout.database().exists() {
        return Ok(None);
    }
    let folder = layout.data.clone();
    let store = tokio::task::spawn_blocking(move || Store::open(&folder, "sidewire data")).await??;
    Ok(Some(store))
}

#[cfg(test)]
mod tests {
    use sidewire_agent::ids::Owner;
    use sidewire_agent::record::Origin;
    use sidewire_agent::store::Lookup;

    use super::*;
    use crate::private_file::write_private;

    fn home() -> (tempfile::TempDir, Layout) {
        let folder = tempfile::tempdir().unwrap();
        let layout = Layout::in_folder(folder.path().join("home"));
        (folder, layout)
    }

    #[tokio::test]
    async fn nothing_kept_means_an_empty_export_and_no_new_file() {
        let (_folder, layout) = home();
        let mut out = Vec::new();
        assert_eq!(export_to(&layout, &mut out).await.unwrap(), 0);
        assert!(out.is_empty() && !layout.database().exists());
        delete(&layout).await.unwrap();
    }

    #[tokio::test]
    async fn what_was_kept_is_exported_until_it_is_deleted() {
        let (folder, layout) = home();
        keep_a_conversation(&layout).await;
        let tools = layout.mcp_tools_folder();
        write_private(&tools.join("server"), b"what it said").unwrap();
        let out = folder.path().join("export.jsonl");
        export(&layout, Some(&out)).await.unwrap();
        let text = fs::read_to_string(&out).unwrap();
        let lines: Vec<serde_json::Value> = text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(lines.len(), 1, "{text}");
        assert_eq!(lines[0]["kind"], "conversation");
        assert_eq!(lines[0]["session_key"], "tenant");
        delete(&layout).await.unwrap();
        assert_eq!(export_to(&layout, &mut Vec::new()).await.unwrap(), 0);
        assert!(!tools.exists());
    }

    async fn keep_a_conversation(layout: &Layout) {
        let store = Store::open(&layout.data, "test").unwrap();
        let lookup = Lookup {
            owner: Owner("ann".to_owned()),
            origin: Origin::Browser,
            hint: None,
            session_key: "tenant".to_owned(),
            tab: 7,
            browser_run: None,
            now_ms: 1_000,
        };
        store.conversation_for(lookup).await.unwrap();
    }

    #[test]
    fn the_newest_log_is_emptied_and_older_ones_go() {
        let (_folder, layout) = home();
        let logs = layout.log_folder();
        for day in ["01", "02"] {
            write_private(&logs.join(format!("sidewire.2027-01-{day}.log")), b"line\n").unwrap();
        }
        delete_logs(&logs).unwrap();
        assert!(!logs.join("sidewire.2027-01-01.log").exists());
        assert_eq!(fs::read(logs.join("sidewire.2027-01-02.log")).unwrap(), b"");
    }
}
