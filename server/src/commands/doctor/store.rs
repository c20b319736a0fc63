//! The database of conversations: can it be opened?

use sidewire_agent::store::Store;
use sidewire_contract::layout::Layout;

use super::finding::Finding;

/// Opens the database, if there is one.
pub(super) async fn check(layout: &Layout) -> Option<Finding> {
    let file = layout.database();
    if !file.exists() {
        return None;
    }
    let folder = layout.data.clone();
    let opened = tokio::task::spawn_blocking(move || Store::open(&folder, "sidewire doctor").map(drop)).await;
    Some(match opened {
        Ok(Ok(())) => Finding::ok(format_args!("{} opens", file.display())),
        Ok(Err(error)) => Finding::fail(format_args!("{:#}", anyhow::Error::from(error))),
        Err(_) => Finding::fail(format_args!("{} made the program fail", file.display())).fix("report this"),
    })
}

#[cfg(test)]
mod tests {
    use super::super::finding::Level;
    use super::*;
    use crate::private_file::write_private;

    #[tokio::test]
    async fn a_missing_database_is_no_finding_and_a_good_one_opens() {
        let folder = tempfile::tempdir().unwrap();
        let layout = Layout::in_folder(folder.path().join("home"));
        assert_eq!(check(&layout).await, None);
        drop(Store::open(&layout.data, "test").unwrap());
        assert_eq!(check(&layout).await.unwrap().level, Level::Ok);
    }

    #[tokio::test]
    async fn a_damaged_database_is_a_fault() {
        let folder = tempfile::tempdir().unwrap();
        let layout = Layout::in_folder(folder.path().join("home"));
        write_private(&layout.database(), &[b'x'; 4096]).unwrap();
        let finding = check(&layout).await.unwrap();
        assert_eq!(finding.level, Level::Fail);
        assert!(finding.what.contains("damaged"), "{}", finding.what);
    }
}
