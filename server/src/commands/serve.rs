//! `sidewire serve`: one worker per user, from its lock to its orderly end.

use std::fs::{File, OpenOptions, TryLockError};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, bail};
use sidewire_contract::bridge::handshake::Handover;
use sidewire_contract::frames::{ClientFrame, WorkerFrame};
use sidewire_contract::identity;
use sidewire_contract::ids::Hex256;
use sidewire_contract::layout::{Layout, WorkerState};
use sidewire_contract::text::Text;
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::Instant;

use crate::app::App;
use crate::browser::{self, Front};
use crate::cli::ServeArgs;
use crate::link::{self, Link};
use crate::mac::Secret;
use crate::private_file::{private_folder, write_private};
use crate::{logging, ui};

/// Running turns may finish for so long after the first signal (design.md).
const PATIENCE: Duration = Duration::from_secs(10);
/// How often a worker looks whether it is idle.
const IDLE_LOOK: Duration = Duration::from_secs(10);
/// Connections get so long to say goodbye.
const GOODBYE: Duration = Duration::from_secs(2);
/// An older worker has answered by then.
const ANSWER: Duration = Duration::from_secs(5);
/// An older worker is gone by then: its patience and a little.
const HANDOVER: Duration = Duration::from_secs(13);

/// Runs until a signal, a newer worker or idleness ends it.
pub(crate) async fn run(args: ServeArgs, layout: Layout) -> anyhow::Result<()> {
    // Whatever a worker writes, logs and locks too, is its owner's only.
    #[cfg(unix)]
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
    for folder in [&layout.config, &layout.data, &layout.state] {
        private_folder(folder)?;
    }
    if args.detached {
        // The terminal or browser we were started from may end with its whole session. Whoever started us in a group
        // of our own (the host does) has made us its leader, and a leader cannot and need not leave.
        let _leads_its_group = rustix::process::setsid();
    }
    let lock = match take_lock(&layout)? {
        Some(lock) => lock,
        None => match replace_older(&layout).await? {
            Some(lock) => lock,
            // A host that started us finds the other one.
            None if args.detached => return Ok(()),
            None => bail!("a worker is already running; `sidewire doctor` shows where"),
        },
    };
    let _log = logging::init(&layout, !args.detached)?;
    // Before anything can be asked to stop.
    let mut signals = Signals::listen()?;
    let worker = Worker::start(&args, layout).await?;
    let reason = worker
        .until_asked_to_end(&mut signals, args.detached || args.idle_exit)
        .await;
    tracing::info!(reason, "the worker ends");
    worker.end(&mut signals).await;
    drop(lock);
    Ok(())
}

/// The lock that makes the worker single; the kernel frees it however we die.
fn take_lock(layout: &Layout) -> anyhow::Result<Option<File>> {
    let path = layout.worker_lock();
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .with_context(|| format!("failed to open {}", path.display()))?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => {
            Err(error).with_context(|| format!("failed to lock {}", path.display()))
        }
    }
}

/// Asks a running worker of an older version to make room; `None` when it is not older (decision 6).
async fn replace_older(layout: &Layout) -> anyhow::Result<Option<File>> {
    let Some((state, secret)) = link::running_worker(layout)? else {
        return Ok(None);
    };
    let Ok((mut link, _)) = Link::open(state.port, &secret).await else {
        return Ok(None);
    };
    let asked = tokio::time::timeout(ANSWER, ask_to_hand_over(&mut link)).await;
    if !asked.context("the running worker does not answer; see `sidewire doctor`")?? {
        return Ok(None);
    }
    let freed = async {
        loop {
            if let Some(lock) = take_lock(layout)? {
                return Ok(Some(lock));
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(HANDOVER, freed)
        .await
        .context("the older worker agreed to end but did not")?
}

async fn ask_to_hand_over(link: &mut Link) -> anyhow::Result<bool> {
    let version = Text::clipped(env!("CARGO_PKG_VERSION"));
    link.send(&ClientFrame::Handover(Handover { version })).await?;
    loop {
        if let WorkerFrame::HandoverAck(answer) = link.receive().await? {
            return Ok(answer.accepted);
        }
    }
}

/// A worker that serves.
struct Worker {
    layout: Layout,
    app: App,
    front: Arc<Front>,
    serving: tokio::task::JoinHandle<()>,
    idle_after: Duration,
}

impl Worker {
    async fn start(args: &ServeArgs, layout: Layout) -> anyhow::Result<Self> {
        let secret = own_secret(&layout)?;
        let mut app = App::open(&layout)?;
        let listener = browser::bind(args.port)?;
        let port = listener.local_addr()?.port();
        let front = app.front(&layout, secret, port)?;
        announce(&layout, port)?;
        tracing::info!(port, version = env!("CARGO_PKG_VERSION"), "the worker is ready");
        if !args.detached {
            ui::say(format!("sidewire is ready on 127.0.0.1:{port}"));
        }
        let idle_after = Duration::from_secs(app.config().worker.idle_exit_minutes.saturating_mul(60));
        Ok(Self {
            layout,
            app,
            serving: serve(listener, &front),
            front,
            idle_after,
        })
    }

    async fn until_asked_to_end(&self, signals: &mut Signals, idle_exit: bool) -> &'static str {
        tokio::select! {
            () = signals.next() => "signal",
            () = self.front.hand_over.cancelled() => "a newer worker takes over",
            () = self.idle(), if idle_exit => "idle",
        }
    }

    /// Resolves once there was neither client nor turn for the idle time.
    async fn idle(&self) {
        let mut quiet_since = Instant::now();
        loop {
            let changed = self.front.clients().changed();
            if self.front.clients().count() > 0 || self.front.agent.is_busy() {
                quiet_since = Instant::now();
            } else if quiet_since.elapsed() >= self.idle_after {
                return;
            }
            // A turn that ends tells nobody, so it is looked at now and then.
            let look_again = self.idle_after.min(IDLE_LOOK);
            let _whichever_came = tokio::time::timeout(look_again, changed).await;
        }
    }

    /// Lets turns finish, then connections, then goes. A second signal hurries.
    async fn end(self, signals: &mut Signals) {
        let agent = &self.front.agent;
        let mut finishing = std::pin::pin!(agent.shut_down(PATIENCE));
        tokio::select! {
            () = &mut finishing => {}
            () = signals.next() => {
                agent.dispose_turns();
                finishing.await;
            }
        }
        self.front.closing.cancel();
        if tokio::time::timeout(GOODBYE, self.serving).await.is_err() {
            tracing::warn!("connections did not close in time");
        }
        withdraw(&self.layout);
        self.app.close();
    }
}

fn serve(listener: TcpListener, front: &Arc<Front>) -> tokio::task::JoinHandle<()> {
    tokio::spawn(browser::run(listener, Arc::clone(front)))
}

/// The secret of this user's processes; made by the first worker.
fn own_secret(layout: &Layout) -> anyhow::Result<Secret> {
    if let Some(secret) = link::local_secret(layout)? {
        return Ok(secret);
    }
    let mut secret = Secret::default();
    getrandom::fill(&mut secret).context("the system gave no random numbers")?;
    write_private(
        &layout.local_secret(),
        Hex256::from_bytes(secret).to_string().as_bytes(),
    )?;
    Ok(secret)
}

/// Tells hosts and the command line where the worker is.
fn announce(layout: &Layout, port: u16) -> anyhow::Result<()> {
    let started_at = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let state = WorkerState {
        pid: std::process::id(),
        port,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        started_at: u64::try_from(started_at.as_millis()).unwrap_or(u64::MAX),
        bridge: identity::BRIDGE_VERSION,
    };
    write_private(&layout.worker_file(), &serde_json::to_vec_pretty(&state)?)?;
    Ok(())
}

/// Nobody should look for a worker that is gone; a file left behind is found stale, so failing here is no fault.
fn withdraw(layout: &Layout) {
    if let Err(error) = std::fs::remove_file(layout.worker_file()) {
        tracing::warn!(%error, "failed to remove the state file");
    }
}

/// The signals that end a worker.
struct Signals {
    interrupt: Signal,
    terminate: Signal,
    hang_up: Signal,
}

impl Signals {
    fn listen() -> anyhow::Result<Self> {
        let listen = |kind| signal(kind).context("failed to listen for signals");
        Ok(Self {
            interrupt: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
            hang_up: listen(SignalKind::hangup())?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            _ = self.hang_up.recv() => {}
        }
    }
}
