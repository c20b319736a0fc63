//! Commands that run in the background of one session: a bounded number, each with bounded output, all gone when the
//! session ends.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sidewire_agent::workspace::{Reach, ShellExit};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, TryAcquireError, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::call::CallError;
use super::command_output::{ending, for_model, hint};
use crate::process::{Confined, Launcher, Log, Running, Until};

/// Most jobs that run at once.
const RUNNING: usize = 8;
/// Most jobs that are remembered; the oldest that has ended is forgotten first.
const REMEMBERED: usize = 32;

/// The jobs of a session. Dropping it ends them.
pub(crate) struct JobTable {
    launcher: Launcher,
    /// A place for each that runs or is being started; closed once none is started any more.
    places: Arc<Semaphore>,
    // A std mutex: held for a look into a map.
    jobs: Mutex<Jobs>,
}

#[derive(Default)]
struct Jobs {
    last: u32,
    by_number: BTreeMap<u32, Arc<Job>>,
}

/// A command in the background.
pub(super) struct Job {
    log: Log,
    began: Instant,
    /// How it is confined, if anything does.
    confined: Option<Confined>,
    cancel: CancellationToken,
    end: watch::Receiver<Option<End>>,
    // A std mutex: held for a number.
    read: Mutex<u64>,
}

#[derive(Clone)]
struct End {
    exit: ShellExit,
    after: Duration,
}

impl JobTable {
    /// No jobs yet.
    pub(crate) fn new(launcher: Launcher) -> Self {
        Self {
            launcher,
            places: Arc::new(Semaphore::new(RUNNING)),
            jobs: Mutex::default(),
        }
    }

    /// Starts a command; the name of its job.
    pub(super) async fn start(
        &self,
        command: &str,
        folder: &Path,
        reach: Reach,
    ) -> Result<String, CallError> {
        let place = Arc::clone(&self.places).try_acquire_owned();
        let place = place.map_err(|error| match error {
            TryAcquireError::Closed => ending_session(),
            TryAcquireError::NoPermits => CallError::Said(format!(
                "{RUNNING} jobs run already; end one with kill_shell first"
            )),
        })?;
        let (launcher, command, folder) = (self.launcher.clone(), command.to_owned(), folder.to_owned());
        let starting = tokio::task::spawn_blocking(move || launcher.start(&command, &folder, reach));
        let running = starting.await.unwrap_or_else(|error| Err(error.into()));
        let running =
            running.map_err(|error| CallError::Said(format!("failed to start the shell: {error}")))?;
        self.follow(running, place, self.launcher.confined(reach))
    }

    /// Remembers a command and follows it, unless the session ended while it was started.
    fn follow(
        &self,
        running: Running,
        place: OwnedSemaphorePermit,
        confined: Option<Confined>,
    ) -> Result<String, CallError> {
        let mut jobs = self.lock();
        if self.places.is_closed() {
            return Err(ending_session());
        }
        let (ended, end) = watch::channel(None);
        let job = Arc::new(Job {
            log: Log::default(),
            began: Instant::now(),
            confined,
            cancel: CancellationToken::new(),
            end,
            read: Mutex::default(),
        });
        let until = Until {
            limit: None,
            cancel: job.cancel.clone(),
        };
        let following = Arc::clone(&job);
        // Ends with its command, which the table ends at the latest.
        tokio::spawn(async move {
            let exit = running.follow(until, &following.log).await;
            let after = following.began.elapsed();
            drop(place);
            ended.send_replace(Some(End { exit, after }));
        });
        Ok(jobs.remember(job))
    }

    /// The job of this name.
    pub(super) fn find(&self, id: &str) -> Result<Arc<Job>, CallError> {
        let number = id.trim().trim_start_matches("job-").parse().ok();
        let jobs = self.lock();
        let job = number
            .and_then(|number: u32| jobs.by_number.get(&number))
            .cloned();
        job.ok_or_else(|| {
            let known: Vec<_> = jobs
                .by_number
                .keys()
                .map(|number| format!("job-{number}"))
                .collect();
            let known = if known.is_empty() {
                "none".to_owned()
            } else {
                known.join(", ")
            };
            CallError::Said(format!("there is no job {id:?}; known jobs: {known}"))
        })
    }

    /// How many run.
    pub(crate) fn running(&self) -> usize {
        RUNNING - self.places.available_permits()
    }

    /// Ends them all; none can be started afterwards.
    pub(crate) async fn end(&self) {
        self.places.close();
        let all: Vec<_> = self.lock().by_number.values().cloned().collect();
        // All at once, then each waited for.
        all.iter().for_each(|job| job.cancel.cancel());
        for job in all {
            job.ended().await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Jobs> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn ending_session() -> CallError {
    CallError::Said("the session is ending".to_owned())
}

impl Drop for JobTable {
    fn drop(&mut self) {
        self.lock().by_number.values().for_each(|job| job.cancel.cancel());
    }
}

impl Jobs {
    fn remember(&mut self, job: Arc<Job>) -> String {
        if self.by_number.len() >= REMEMBERED {
            let has_ended = |(number, job): (&u32, &Arc<Job>)| job.end.borrow().is_some().then_some(*number);
            if let Some(oldest) = self.by_number.iter().find_map(has_ended) {
                self.by_number.remove(&oldest);
            }
        }
        self.last += 1;
        self.by_number.insert(self.last, job);
        format!("job-{}", self.last)
    }
}

impl Job {
    /// How it is and what it printed since the last look.
    pub(super) fn look(&self) -> String {
        let state = match &*self.end.borrow() {
            None => format!("running for {} s", self.began.elapsed().as_secs()),
            Some(end) => format!("{} after {} s", ending(&end.exit, None), end.after.as_secs()),
        };
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let (text, now) = self.log.lock().since(*read);
        *read = now;
        let text = for_model(&text);
        let text = text.trim_end_matches('\n');
        let hint = self.hint(text).map(|hint| format!("\n{hint}"));
        let text = if text.is_empty() { "(no new output)" } else { text };
        format!("[{state}]\n{text}{}", hint.unwrap_or_default())
    }

    /// What is to be said when what it printed looks as if it was kept from writing.
    fn hint(&self, text: &str) -> Option<&'static str> {
        let ended = self.end.borrow().as_ref().map(|end| end.exit.clone())?;
        hint(self.confined.as_ref()?, ended != ShellExit::Code(0), text)
    }

    /// Resolves once it has ended.
    pub(super) async fn ended(&self) {
        let mut end = self.end.clone();
        // Its follower is never aborted: a closed channel means that the whole runtime ends.
        let _ended_or_ending = end.wait_for(Option::is_some).await;
    }

    /// Ends it, with everything it started.
    pub(super) async fn kill(&self) {
        self.cancel.cancel();
        self.ended().await;
    }
}

#[cfg(test)]
mod tests;
