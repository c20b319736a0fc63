//! Where the worker writes what it does: ids, sizes and types only, never what anyone said or a page showed.

use std::io::{self, IsTerminal};

use anyhow::Context;
use sidewire_contract::layout::Layout;
use tracing::Metadata;
use tracing::level_filters::LevelFilter;
use tracing_appender::non_blocking::WorkerGuard;
use tracing_appender::rolling::{RollingFileAppender, Rotation};
use tracing_subscriber::filter::{FilterExt, filter_fn};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, fmt};

use crate::private_file::private_folder;

/// Days of log that are kept.
const DAYS: usize = 7;

/// Libraries write down what they send and receive, if anyone asks them to: that is content.
fn is_ours(line: &Metadata<'_>) -> bool {
    line.target().starts_with("sidewire")
}

/// Starts the log; what is still buffered is written when the guard goes.
pub(crate) fn init(layout: &Layout, to_stderr: bool) -> anyhow::Result<WorkerGuard> {
    let folder = layout.log_folder();
    private_folder(&folder)?;
    let file = RollingFileAppender::builder()
        .rotation(Rotation::DAILY)
        .filename_prefix("sidewire")
        .filename_suffix("log")
        .max_log_files(DAYS)
        .build(&folder)
        .with_context(|| format!("failed to write a log in {}", folder.display()))?;
    let (file, guard) = tracing_appender::non_blocking(file);
    let filter = EnvFilter::try_from_env("SIDEWIRE_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
    let to_file = fmt::layer()
        .with_writer(file)
        .with_ansi(false)
        .with_filter(filter.and(filter_fn(is_ours)));
    let to_stderr = to_stderr.then(|| {
        fmt::layer()
            .with_writer(io::stderr)
            .with_ansi(io::stderr().is_terminal())
            .with_filter(LevelFilter::WARN.and(filter_fn(is_ours)))
    });
    tracing_subscriber::registry()
        .with(to_file)
        .with(to_stderr)
        .try_init()
        .context("failed to start the log")?;
    Ok(guard)
}
