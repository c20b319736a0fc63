//! A real `sidewire serve`.

use rustix::process::Signal;
use sidewire_contract::ids::Hex256;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::ChildStdout;

use crate::process::Process;
use crate::{Client, Home, Identity, RawSocket, Refused, within};

/// A worker that is ready.
pub struct Worker {
    process: Process,
    // Kept open: a worker that writes to it again must not find it closed.
    _stdout: BufReader<ChildStdout>,
    /// Where it listens.
    pub port: u16,
    /// The secret of local programs.
    pub secret: Hex256,
}

impl Worker {
    pub(crate) async fn start(home: &Home, args: &[&str]) -> Self {
        Self::wait(home, home.start(&[&["serve"], args].concat())).await
    }

    /// Waits until a worker that was started is ready.
    pub(crate) async fn wait(home: &Home, mut process: Process) -> Self {
        let mut stdout = BufReader::new(process.take_stdout());
        let mut line = String::new();
        within("the worker's first line", stdout.read_line(&mut line))
            .await
            .expect("the worker's output is text");
        if line.is_empty() {
            let status = process.ended().await;
            panic!("the worker did not start ({status}): {}", process.errors().await);
        }
        let state = home
            .worker_state()
            .expect("a ready worker has written itself down");
        Self {
            port: state.port,
            secret: home.local_secret(),
            process,
            _stdout: stdout,
        }
    }

    /// `127.0.0.1:PORT`, the only host it answers to.
    #[must_use]
    pub fn authority(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Its process.
    pub fn process(&mut self) -> &mut Process {
        &mut self.process
    }

    /// Kills it as a crash would.
    pub async fn kill(mut self) {
        self.process.kill().await;
    }

    /// Asks it to end and waits until it has.
    ///
    /// # Panics
    /// When it fails.
    pub async fn end(mut self) {
        self.process.signal(Signal::TERM);
        let status = self.process.ended().await;
        assert!(status.success(), "the worker ended with {status}");
    }

    /// Who a local program with the secret of this worker is.
    #[must_use]
    pub fn local(&self) -> Identity {
        Identity::local(self.secret)
    }

    /// A client with the local secret.
    pub async fn client(&self) -> Client {
        self.client_as(&self.local()).await
    }

    /// A client that is someone in particular.
    ///
    /// # Panics
    /// When the worker refuses it.
    pub async fn client_as(&self, identity: &Identity) -> Client {
        self.try_client(identity)
            .await
            .unwrap_or_else(|refused| panic!("the client was refused: {refused:?}"))
    }

    /// A client that may be refused.
    ///
    /// # Errors
    /// How it was refused.
    pub async fn try_client(&self, identity: &Identity) -> Result<Client, Refused> {
        Client::connect(self.port, identity).await
    }

    /// A browser profile that has been paired, as an identity of its own.
    ///
    /// # Panics
    /// When pairing fails.
    pub async fn paired(&self, home: &Home) -> Identity {
        let offer = home.offer().await;
        assert_eq!(offer.port, self.port, "the offer names the running worker");
        let newcomer = Identity::browser(offer.key());
        let client = self.client_as(&newcomer).await;
        client.paired_identity(&newcomer)
    }

    /// A plain connection.
    pub async fn raw(&self) -> RawSocket {
        RawSocket::connect(self.port).await
    }
}
