//! The running worker: what it wrote down, whether it lives, and whether it proves itself.

use std::net::{Ipv4Addr, TcpListener};
use std::time::Duration;

use sidewire_contract::identity::{PORT_FIRST, PORT_LAST};
use sidewire_contract::layout::{Layout, WorkerState};
use tokio::time::timeout;

use super::finding::Finding;
use crate::commands::env::worker_lives;
use crate::link::{Link, LinkError, running_worker};
use crate::mac::Secret;

/// The worker answers a handshake at once; a machine under load gets some time.
const PATIENCE: Duration = Duration::from_secs(5);

/// Checks the running worker, or that one could start.
pub(super) async fn check(layout: &Layout) -> Vec<Finding> {
    let alive = worker_lives(layout);
    match running_worker(layout) {
        Err(error) => vec![Finding::fail(error)],
        Ok(Some((state, secret))) if alive => vec![handshake(&state, &secret).await],
        Ok(None) if alive => vec![
            Finding::warn("a worker is starting, or hangs before it listens")
                .fix("try again in a few seconds; if this stays, end the process `sidewire serve`"),
        ],
        Ok(Some(_)) => vec![
            Finding::warn(format_args!(
                "{} was left by a worker that was killed",
                layout.worker_file().display()
            ))
            .fix("nothing to do: the next worker replaces it"),
            ports(PORT_FIRST..=PORT_LAST),
        ],
        Ok(None) => vec![
            Finding::ok("no worker is running; a browser or `sidewire serve` starts one"),
            ports(PORT_FIRST..=PORT_LAST),
        ],
    }
}

async fn handshake(state: &WorkerState, secret: &Secret) -> Finding {
    let port = state.port;
    match timeout(PATIENCE, Link::open(port, secret)).await {
        Ok(Ok((link, welcome))) => {
            link.close().await;
            same_version(port, welcome.worker.version.as_str())
        }
        Ok(Err(LinkError::Impostor)) => Finding::fail(format_args!(
            "what answers on port {port} could not prove that it is the worker"
        ))
        .fix("end that program, then restart the worker"),
        Ok(Err(error)) => Finding::fail(format_args!(
            "port {port} does not connect: {:#}",
            anyhow::Error::from(error)
        ))
        .fix(format_args!(
            "end process {} and start `sidewire serve`",
            state.pid
        )),
        Err(_) => Finding::fail(format_args!("the worker on port {port} does not answer")).fix(format_args!(
            "end process {} and start `sidewire serve`",
            state.pid
        )),
    }
}

fn same_version(port: u16, version: &str) -> Finding {
    let ours = env!("CARGO_PKG_VERSION");
    if version == ours {
        return Finding::ok(format_args!(
            "the worker on port {port} answers and has version {ours}"
        ));
    }
    Finding::warn(format_args!(
        "the running worker has version {version}, this is {ours}"
    ))
    .fix("run `sidewire serve`: a newer one takes over")
}

/// Whether a worker would find a port.
fn ports(range: std::ops::RangeInclusive<u16>) -> Finding {
    let (first, last, all) = (*range.start(), *range.end(), range.len());
    let taken = range
        .filter(|port| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_err())
        .count();
    match taken {
        0 => Finding::ok(format_args!("the ports {first} to {last} are free")),
        taken if taken == all => Finding::fail(format_args!("every port from {first} to {last} is taken"))
            .fix("end what holds them, or start `sidewire serve --port …`"),
        taken => Finding::ok(format_args!(
            "{taken} of the ports {first} to {last} are taken by other programs"
        )),
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::super::finding::Level;
    use super::*;
    use crate::private_file::write_private;

    struct Home {
        _folder: tempfile::TempDir,
        layout: Layout,
    }

    fn home() -> Home {
        let folder = tempfile::tempdir().unwrap();
        let layout = Layout::in_folder(folder.path().join("home"));
        write_private(&layout.worker_lock(), b"").unwrap();
        Home {
            _folder: folder,
            layout,
        }
    }

    fn write_state(layout: &Layout, port: u16) {
        let state = WorkerState {
            pid: 1,
            port,
            version: "0.0.1".into(),
            started_at: 0,
            bridge: 1,
        };
        write_private(&layout.worker_file(), &serde_json::to_vec(&state).unwrap()).unwrap();
        write_private(&layout.local_secret(), "ab".repeat(32).as_bytes()).unwrap();
    }

    fn lock(layout: &Layout) -> File {
        let lock = File::options().write(true).open(layout.worker_lock()).unwrap();
        lock.try_lock().unwrap();
        lock
    }

    async fn first(layout: &Layout) -> (Level, String) {
        let finding = check(layout).await.remove(0);
        (finding.level, finding.to_string())
    }

    fn assert_is(finding: &(Level, String), level: Level, part: &str) {
        assert!(finding.0 == level && finding.1.contains(part), "{finding:?}");
    }

    #[tokio::test]
    async fn no_worker_is_fine() {
        assert_is(&first(&home().layout).await, Level::Ok, "no worker is running");
    }

    #[tokio::test]
    async fn a_stale_state_file_is_told_apart_from_a_dead_worker() {
        let home = home();
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        write_state(&home.layout, port);
        assert_is(
            &first(&home.layout).await,
            Level::Warn,
            "left by a worker that was killed",
        );
        let _lock = lock(&home.layout);
        assert_is(&first(&home.layout).await, Level::Fail, "no worker answers");
    }

    #[tokio::test]
    async fn a_worker_without_state_is_starting() {
        let home = home();
        let _lock = lock(&home.layout);
        assert_is(&first(&home.layout).await, Level::Warn, "is starting");
    }

    #[tokio::test]
    async fn a_damaged_state_file_is_a_fault() {
        let home = home();
        write_state(&home.layout, 1);
        write_private(&home.layout.worker_file(), b"{").unwrap();
        assert_is(&first(&home.layout).await, Level::Fail, "remove it");
    }

    #[tokio::test]
    async fn a_program_that_is_no_worker_is_a_fault() {
        let home = home();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        write_state(&home.layout, listener.local_addr().unwrap().port());
        let _lock = lock(&home.layout);
        let stranger = tokio::spawn(async move {
            let (stream, _) = listener.accept().await.unwrap();
            drop(stream);
        });
        assert_is(&first(&home.layout).await, Level::Fail, "does not connect");
        stranger.await.unwrap();
    }

    #[test]
    fn versions_are_compared() {
        assert_eq!(same_version(1, "0.0.1").level, Level::Warn);
        assert_eq!(same_version(1, env!("CARGO_PKG_VERSION")).level, Level::Ok);
    }

    #[test]
    fn a_full_range_is_a_fault_and_a_shared_one_is_not() {
        let one = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = one.local_addr().unwrap().port();
        assert_eq!(ports(port..=port).level, Level::Fail);
        drop(one);
        assert_eq!(ports(port..=port).level, Level::Ok);
    }
}
