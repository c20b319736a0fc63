use std::path::PathBuf;

use super::*;
use crate::process::Bounds;

/// A folder, and its name without links.
fn folder() -> (tempfile::TempDir, PathBuf) {
    let place = tempfile::tempdir().unwrap();
    let real = place.path().canonicalize().unwrap();
    (place, real)
}

fn table() -> JobTable {
    JobTable::new(Launcher {
        program: None,
        file: None,
        bounds: Bounds::default(),
        caches: Vec::new(),
        protected: Vec::new(),
    })
}

#[tokio::test]
async fn the_oldest_that_has_ended_is_forgotten() {
    let (_place, folder) = folder();
    let table = table();
    let lasting = table
        .start("sleep 1000", &folder, Reach::Workspace)
        .await
        .unwrap();
    for _ in 1..=REMEMBERED {
        let id = table.start("true", &folder, Reach::Workspace).await.unwrap();
        table.find(&id).unwrap().ended().await;
    }
    assert!(table.find(&lasting).is_ok());
    assert!(table.find("job-2").is_err());
    assert!(table.find("job-3").is_ok());
    assert_eq!(table.lock().by_number.len(), REMEMBERED);
    table.end().await;
}

#[tokio::test]
async fn dropping_the_table_ends_its_jobs() {
    let (_place, folder) = folder();
    let table = table();
    let id = table
        .start("echo $$; exec sleep 1000", &folder, Reach::Workspace)
        .await
        .unwrap();
    let job = table.find(&id).unwrap();
    job.log.grown(1).await;
    drop(table);
    job.ended().await;
    assert!(job.look().starts_with("[stopped after "));
}

#[tokio::test]
async fn no_more_run_than_may_be_however_they_are_started() {
    let (_place, folder) = folder();
    let table = table();
    let starts = (0..=RUNNING).map(|_| table.start("sleep 1000", &folder, Reach::Workspace));
    let started = futures_util::future::join_all(starts).await;
    let (ids, refused): (Vec<_>, Vec<_>) = started.into_iter().partition(Result::is_ok);
    assert_eq!((ids.len(), refused.len(), table.running()), (RUNNING, 1, RUNNING));
    table.find("job-1").unwrap().kill().await;
    assert_eq!(table.running(), RUNNING - 1);
    table.end().await;
    assert!(table.start("true", &folder, Reach::Workspace).await.is_err());
}

#[test]
fn one_that_is_being_started_holds_nothing_up_and_is_not_forgotten() {
    let (_place, folder) = folder();
    // One thread starts programs, and it is taken until it is given back: whatever is started meanwhile waits.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .max_blocking_threads(1)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let table = table();
        let (give_back, taken) = std::sync::mpsc::sync_channel::<()>(1);
        let thread = tokio::task::spawn_blocking(move || taken.recv());
        let mut starting = std::pin::pin!(table.start("sleep 1000", &folder, Reach::Workspace));
        assert!(futures_util::poll!(&mut starting).is_pending());
        assert_eq!(table.running(), 1);
        assert!(table.find("job-1").is_err());
        table.end().await;
        give_back.send(()).unwrap();
        thread.await.unwrap().unwrap();
        let late = starting.await.unwrap_err().to_string();
        assert_eq!(late, "the session is ending");
    });
}
