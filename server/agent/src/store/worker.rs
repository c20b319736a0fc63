//! A thread that owns one connection and runs one job after the other.

use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::thread::{self, JoinHandle};

use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use super::error::StoreError;

/// Jobs that may wait. When it is full, [`Worker::run`] waits for room and [`Worker::try_run`] gives up.
pub(super) const QUEUE: usize = 64;

type Job = Box<dyn FnOnce(&mut Connection) + Send>;

/// Handle of the thread; dropping it lets the queue run empty and joins.
pub(super) struct Worker {
    /// `None` only while dropping.
    jobs: Option<mpsc::Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

impl Worker {
    pub(super) fn start(name: &str, mut connection: Connection) -> io::Result<Self> {
        let (jobs, mut queue) = mpsc::channel::<Job>(QUEUE);
        let thread = thread::Builder::new().name(name.to_owned()).spawn(move || {
            while let Some(job) = queue.blocking_recv() {
                // A job that panics loses its transaction and leaves its caller without an answer; the others go on.
                let done = panic::catch_unwind(AssertUnwindSafe(|| job(&mut connection)));
                if done.is_err() {
                    tracing::error!("a job of the store panicked");
                }
            }
        })?;
        Ok(Self {
            jobs: Some(jobs),
            thread: Some(thread),
        })
    }

    /// Queues a job and waits for what it gives. The job runs even when the caller stops waiting.
    pub(super) async fn run<T, E>(
        &self,
        work: impl FnOnce(&mut Connection) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let job: Job = Box::new(move |connection| {
            // Nobody waits any more: the work is done all the same.
            drop(reply.send(work(connection)));
        });
        let jobs = self.jobs.as_ref().ok_or(StoreError::Closed)?;
        jobs.send(job).await.map_err(|_job| StoreError::Closed)?;
        answer.await.map_err(|_gone| StoreError::Closed)?
    }

    /// Queues a job nobody waits for; false when there is no room.
    pub(super) fn try_run(&self, work: impl FnOnce(&mut Connection) + Send + 'static) -> bool {
        self.jobs
            .as_ref()
            .is_some_and(|jobs| jobs.try_send(Box::new(work)).is_ok())
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has said so itself.
            drop(thread.join());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_job_that_panics_takes_no_other_with_it() {
        let connection = Connection::open_in_memory().unwrap();
        let worker = Worker::start("test", connection).unwrap();
        let broken = worker.run(|_| -> Result<(), StoreError> { panic!("a job that panics") });
        assert!(matches!(broken.await, Err(StoreError::Closed)));
        let next = worker.run(|_| Ok::<_, StoreError>(7)).await;
        assert_eq!(next.unwrap(), 7);
    }
}
