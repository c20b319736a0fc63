use super::*;

fn table() -> JobTable {
    JobTable::new(Launcher {
        program: None,
        file: None,
        write: Vec::new(),
        protected: Vec::new(),
    })
}

#[tokio::test]
async fn the_oldest_that_has_ended_is_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    let table = table();
    let lasting = table.start("sleep 1000", folder.path()).unwrap();
    for _ in 1..=REMEMBERED {
        let id = table.start("true", folder.path()).unwrap();
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
    let folder = tempfile::tempdir().unwrap();
    let table = table();
    let id = table.start("echo $$; exec sleep 1000", folder.path()).unwrap();
    let job = table.find(&id).unwrap();
    job.log.grown(1).await;
    drop(table);
    job.ended().await;
    assert!(job.look().starts_with("[stopped after "));
}
