//! A real `sidewire-host`, spoken to as a browser does.

use std::path::Path;
use std::process::ExitStatus;

use sidewire_contract::bridge::handshake::{ClientInfo, HelloAck};
use sidewire_contract::frames::{ClientFrame, WorkerFrame};
use sidewire_contract::ids::BrowserRun;
use sidewire_contract::{limits, native_frame};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{ChildStdin, ChildStdout};

use crate::identity::random;
use crate::process::{Process, arguments, command, program, read_all};
use crate::{Home, Identity, Peer, within};

/// What Chromium passes as the first argument.
pub const ORIGIN: &str = "chrome-extension://afjloophkcfkbnbojjbmdlhibaikjmld/";

/// A running host.
pub struct NativeHost {
    process: Process,
    stdin: Option<ChildStdin>,
    stdout: Option<ChildStdout>,
}

impl NativeHost {
    /// Starts it as Chromium does.
    #[must_use]
    pub fn start(home: &Home) -> Self {
        Self::start_with(home, &[ORIGIN])
    }

    /// Starts it with these arguments.
    #[must_use]
    pub fn start_with(home: &Home, args: &[&str]) -> Self {
        Self::start_program(&program("sidewire-host"), home, args)
    }

    /// Starts another copy of it.
    #[must_use]
    pub fn start_program(program: &Path, home: &Home, args: &[&str]) -> Self {
        let mut command = command(program, home.path());
        // A search path without any worker on it.
        command.args(arguments(args)).env("PATH", "/usr/bin:/bin");
        let mut process = Process::spawn(command);
        Self {
            stdin: Some(process.take_stdin()),
            stdout: Some(process.take_stdout()),
            process,
        }
    }

    /// Introduces the extension behind it.
    ///
    /// # Panics
    /// When the worker does not take it.
    pub async fn introduce(&mut self, identity: &Identity) -> HelloAck {
        let proof = identity.proof(identity.key.secret);
        let info = ClientInfo {
            client: proof.client,
            instance: proof.instance,
            contract_version: proof.contract_version,
            browser_run: proof
                .browser_run
                .unwrap_or_else(|| BrowserRun::from_bytes(random())),
            ephemeral: proof.ephemeral,
        };
        match self.call(ClientFrame::ClientInfo(info)).await {
            WorkerFrame::HelloAck(ack) => *ack,
            other => panic!("expected hello_ack, got {other:?}"),
        }
    }

    /// Writes bytes as they are; whether the host still reads is not of interest.
    pub async fn write(&mut self, bytes: &[u8]) {
        if let Some(stdin) = &mut self.stdin {
            drop(within("writing to the host", stdin.write_all(bytes)).await);
            drop(within("flushing to the host", stdin.flush()).await);
        }
    }

    /// Writes one frame with the browser's limit.
    ///
    /// # Panics
    /// When no browser would send it.
    pub async fn write_frame(&mut self, payload: &[u8]) {
        let frame = native_frame::encode(payload, limits::NATIVE_IN).unwrap();
        self.write(&frame).await;
    }

    /// The next frame, which must be one that a browser takes; none at the end.
    ///
    /// # Panics
    /// When something else than frames comes.
    pub async fn read_frame(&mut self) -> Option<Vec<u8>> {
        let stdout = self.stdout.as_mut()?;
        let mut header = [0; native_frame::HEADER_LEN];
        if within("a frame", stdout.read_exact(&mut header)).await.is_err() {
            return None;
        }
        let len =
            native_frame::decode_header(header, limits::NATIVE_OUT).expect("a length that a browser takes");
        let mut payload = vec![0; len];
        within("a payload", stdout.read_exact(&mut payload))
            .await
            .expect("a whole frame");
        serde_json::from_slice::<serde_json::Value>(&payload).expect("a browser drops what is no JSON");
        Some(payload)
    }

    /// Everything it writes, for the one case in which that is no frames.
    ///
    /// # Panics
    /// When it is no text.
    pub async fn read_text(&mut self) -> String {
        let stdout = self.stdout.take().expect("the output is open");
        String::from_utf8(read_all(stdout).await).unwrap()
    }

    /// The browser closes its end.
    pub fn close(&mut self) {
        self.stdin = None;
    }

    /// The browser no longer reads.
    pub fn close_output(&mut self) {
        self.stdout = None;
    }

    /// All frames until the host ends, and how it ended.
    pub async fn ended(mut self) -> (Vec<WorkerFrame>, ExitStatus, String) {
        let mut frames = Vec::new();
        while let Some(payload) = self.read_frame().await {
            frames.push(WorkerFrame::decode(&String::from_utf8(payload).unwrap()).expect("a frame"));
        }
        let status = self.process.ended().await;
        let errors = self.process.errors().await;
        (frames, status, errors)
    }

    /// Its process.
    pub fn process(&mut self) -> &mut Process {
        &mut self.process
    }
}

impl Peer for NativeHost {
    async fn send_text(&mut self, text: &str) {
        self.write_frame(text.as_bytes()).await;
    }

    async fn receive_text(&mut self) -> Option<String> {
        let payload = self.read_frame().await?;
        Some(String::from_utf8(payload).expect("frames are text"))
    }
}
