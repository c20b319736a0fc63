//! One connection from its first line to its end: a reader that never waits for the peer, a writer, and the requests
//! in between.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, BufWriter};
use tokio::sync::mpsc;
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;

use super::head::Head;
use super::lines::{LINE_LIMIT, Line, Lines};
use super::message::{self, Incoming, RequestId};
use super::{Answer, Call, Error, Handling, Params, Peer, Reply, Service};

/// Lines that may wait for the writer; then whoever sends waits.
const QUEUE: usize = 64;
/// What is written at once.
const BUFFER: usize = 64 * 1024;
/// Requests that may be in flight; more are refused.
pub(super) const IN_FLIGHT: usize = 256;
/// Refusals that may wait for room, before whoever causes them has to wait too.
const REFUSALS: usize = 4096;
/// A peer that asks on and takes no answers for so long is given up.
const STALLED: Duration = Duration::from_secs(10);
/// Once the input has ended, requests may take so long to be answered, and the answers so long to be written.
const LAST_WORDS: Duration = Duration::from_millis(250);

/// A connection that is not served yet.
pub(crate) struct Connection<R, W> {
    peer: Peer,
    input: R,
    output: W,
    queue: mpsc::Receiver<String>,
}

/// The two ends of a connection over these streams.
pub(crate) fn open<R, W>(input: R, output: W) -> (Peer, Connection<R, W>) {
    let (outgoing, queue) = mpsc::channel(QUEUE);
    let peer = Peer::new(outgoing);
    let connection = Connection {
        peer: peer.clone(),
        input,
        output,
        queue,
    };
    (peer, connection)
}

impl<R, W> Connection<R, W>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin + Send + 'static,
{
    /// Serves until the input ends, the output breaks or `stop` fires. Requests in flight are then cancelled, and
    /// their answers still written.
    pub(crate) async fn run(self, service: Arc<impl Service>, stop: CancellationToken) {
        let (finish, broken) = (CancellationToken::new(), CancellationToken::new());
        let writer = Writer {
            output: BufWriter::with_capacity(BUFFER, self.output),
            queue: self.queue,
        };
        let mut writing = tokio::spawn(writer.run(finish.clone(), broken.clone()));
        let requests = Arc::new(Requests::new(self.peer.clone()));
        let reading = read(Lines::new(self.input, LINE_LIMIT), &requests, &service);
        tokio::select! {
            () = reading => {}
            () = broken.cancelled() => {}
            () = stop.cancelled() => {}
        }
        // First: what waits for the peer is to end because it is given up, not because it was refused something.
        requests.give_up();
        self.peer.close();
        requests.ended().await;
        finish.cancel();
        if tokio::time::timeout(LAST_WORDS, &mut writing).await.is_err() {
            tracing::debug!("the peer did not take the last answers");
            // Whoever still waits for room learns that there will be none.
            writing.abort();
        }
    }
}

/// Until the input ends, or the peer takes no answers any more.
async fn read<R: AsyncRead + Unpin>(
    mut lines: Lines<R>,
    requests: &Arc<Requests>,
    service: &Arc<impl Service>,
) {
    loop {
        let taken = match lines.next().await {
            Ok(Some(Line::Whole(line))) => match message::read(&line) {
                Ok(Some(incoming)) => requests.take(incoming, service).await,
                Ok(None) => Ok(()),
                Err(junk) => requests.refuse(junk.id, junk.error).await,
            },
            Ok(Some(Line::TooLong(beginning))) => requests.refuse_long(&beginning).await,
            Ok(None) => return,
            Err(error) => {
                tracing::debug!(%error, "the input broke");
                return;
            }
        };
        if taken.is_err() {
            tracing::warn!("the peer asks and takes no answers");
            return;
        }
    }
}

/// The peer takes no answers.
struct Stalled;

/// The requests of the peer that are in flight.
struct Requests {
    peer: Peer,
    tasks: TaskTracker,
    /// Refusals that wait for room.
    refusals: TaskTracker,
    closing: CancellationToken,
    // A std mutex: lookups and inserts only, never held over an await.
    running: Mutex<HashMap<RequestId, CancellationToken>>,
}

impl Requests {
    fn new(peer: Peer) -> Self {
        Self {
            peer,
            tasks: TaskTracker::new(),
            refusals: TaskTracker::new(),
            closing: CancellationToken::new(),
            running: Mutex::default(),
        }
    }

    /// A message was too long. Whoever waits because of it, there or here, waits no longer.
    async fn refuse_long(self: &Arc<Self>, beginning: &[u8]) -> Result<(), Stalled> {
        let id = match Head::read(beginning) {
            Head::Request(id) => id,
            Head::Answer(id) if self.peer.spoil(&id) => return Ok(()),
            Head::Answer(_) | Head::Unknown => RequestId::null(),
        };
        let text = format!("a message is longer than {LINE_LIMIT} bytes");
        self.refuse(id, Error::invalid_request(text)).await
    }

    async fn take(self: &Arc<Self>, incoming: Incoming, service: &Arc<impl Service>) -> Result<(), Stalled> {
        match incoming {
            Incoming::Response { id, result } => self.peer.take_answer(&id, result),
            Incoming::Shapeless(id) => {
                if !self.peer.spoil(&id) {
                    let text = "invalid request: neither method, result nor error";
                    return self.refuse(id, Error::invalid_request(text)).await;
                }
            }
            Incoming::Cancel(id) => self.cancel(&id),
            Incoming::Notification { method, params } => {
                let heard =
                    std::panic::catch_unwind(AssertUnwindSafe(|| service.notification(&method, params)));
                if heard.is_err() {
                    tracing::error!("a notification made its handler panic");
                }
            }
            Incoming::Request { id, method, params } => {
                return self.begin(id, (method, params), service).await;
            }
        }
        Ok(())
    }

    async fn begin(
        self: &Arc<Self>,
        id: RequestId,
        (method, params): (String, Params),
        service: &Arc<impl Service>,
    ) -> Result<(), Stalled> {
        let cancel = self.closing.child_token();
        if let Err(error) = self.enter(&id, &cancel) {
            return self.refuse(id, error).await;
        }
        let answered = CancellationToken::new();
        let call = Call {
            method,
            params,
            cancel: cancel.clone(),
            answered: answered.clone(),
        };
        let handling = std::panic::catch_unwind(AssertUnwindSafe(|| service.request(call)))
            .unwrap_or_else(|_| Handling::Done(Err(panicked())));
        self.go_on(id, handling, (cancel, answered.drop_guard())).await;
        Ok(())
    }

    /// Answers what is no request of ours to handle, without waiting for room. Only a peer that asks on and on and
    /// takes no answers is waited for, and not for long.
    async fn refuse(self: &Arc<Self>, id: RequestId, error: Error) -> Result<(), Stalled> {
        let peer = self.peer.clone();
        let mut refusing: BoxFuture<'static, ()> = Box::pin(async move {
            let _closed_anyway = peer.answer(&id, Err(&error)).await;
        });
        if futures_util::poll!(&mut refusing).is_ready() {
            return Ok(());
        }
        if self.refusals.len() < REFUSALS {
            self.refusals.spawn(refusing);
            return Ok(());
        }
        tokio::time::timeout(STALLED, refusing).await.map_err(|_| Stalled)
    }

    fn enter(&self, id: &RequestId, cancel: &CancellationToken) -> Result<(), Error> {
        let mut running = self.running();
        if running.contains_key(id) {
            return Err(Error::invalid_request("a request of this id is in progress"));
        }
        if running.len().max(self.tasks.len()) >= IN_FLIGHT {
            return Err(Error::invalid_request("too many requests at once"));
        }
        running.insert(id.clone(), cancel.clone());
        Ok(())
    }

    /// Answers in a task of its own, whose first steps are tried here: what has its answer and finds room keeps its
    /// place among the others.
    async fn go_on(
        self: &Arc<Self>,
        id: RequestId,
        handling: Handling,
        (cancel, answered): (CancellationToken, DropGuard),
    ) {
        let requests = Arc::clone(self);
        let at_once = matches!(handling, Handling::Done(_));
        let mut going: BoxFuture<'static, ()> = Box::pin(async move {
            let answer = finished(handling, &cancel).await;
            requests.answer(&id, answer).await;
            drop(answered);
        });
        if at_once && futures_util::poll!(&mut going).is_ready() {
            return;
        }
        self.tasks.spawn(going);
    }

    async fn answer(&self, id: &RequestId, answer: Answer) {
        let (answer, then) = match answer {
            Ok(Reply { result, then }) => (Ok(result), then),
            Err(error) => (Err(error), None),
        };
        // Before the peer can know, so that it may use the id again.
        self.running().remove(id);
        let sent = self.peer.answer(id, answer.as_deref()).await;
        if let (Ok(()), Some(then)) = (sent, then) {
            let _said_already = AssertUnwindSafe(then).catch_unwind().await;
        }
    }

    /// An id that is unknown or already answered is ignored.
    fn cancel(&self, id: &RequestId) {
        if let Some(cancel) = self.running().get(id) {
            cancel.cancel();
        }
    }

    /// Cancels what is in flight.
    fn give_up(&self) {
        self.closing.cancel();
        self.tasks.close();
        self.refusals.close();
    }

    /// Waits for the answers of what was in flight.
    async fn ended(&self) {
        let both = async { tokio::join!(self.tasks.wait(), self.refusals.wait()) };
        if tokio::time::timeout(LAST_WORDS, both).await.is_err() {
            tracing::warn!("requests did not end in time");
        }
    }

    fn running(&self) -> MutexGuard<'_, HashMap<RequestId, CancellationToken>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The answer, whatever happens: cancelling changes which one comes, never whether one comes.
async fn finished(handling: Handling, cancel: &CancellationToken) -> Answer {
    let (running, droppable) = match handling {
        Handling::Done(answer) => return answer,
        Handling::Running(running) => (running, true),
        Handling::Careful(running) => (running, false),
    };
    let guarded = AssertUnwindSafe(running).catch_unwind();
    let answer = tokio::select! {
        biased;
        answer = guarded => answer,
        () = cancel.cancelled(), if droppable => Ok(Err(Error::cancelled())),
    };
    answer.unwrap_or_else(|_| Err(panicked()))
}

fn panicked() -> Error {
    tracing::error!("a request made its handler panic");
    Error::internal("internal error")
}

/// Writes lines in the order they were queued; all that wait go out together.
struct Writer<W> {
    output: BufWriter<W>,
    queue: mpsc::Receiver<String>,
}

impl<W: AsyncWrite + Unpin> Writer<W> {
    async fn run(mut self, finish: CancellationToken, broken: CancellationToken) {
        if let Err(error) = self.write(finish).await {
            tracing::debug!(%error, "the output broke");
        }
        // Whoever waits for room learns that there will be none.
        self.queue.close();
        broken.cancel();
    }

    /// Until `finish` fires and everything is written.
    async fn write(&mut self, finish: CancellationToken) -> std::io::Result<()> {
        loop {
            let line = tokio::select! {
                biased;
                line = self.queue.recv() => line,
                () = finish.cancelled(), if !self.queue.is_closed() => {
                    self.queue.close();
                    continue;
                }
            };
            let Some(line) = line else { return Ok(()) };
            self.output.write_all(line.as_bytes()).await?;
            while let Ok(line) = self.queue.try_recv() {
                self.output.write_all(line.as_bytes()).await?;
            }
            self.output.flush().await?;
        }
    }
}
