//! An MCP server to use: passed by an editor, or configured by a person or a project. It says how to reach it.

use std::collections::BTreeMap;

/// An MCP server.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct McpServer {
    /// What it is called; part of the names of its tools.
    pub name: String,
    /// How to reach it.
    pub transport: McpTransport,
}

/// How to reach an MCP server.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum McpTransport {
    /// A child process that speaks on its standard streams.
    Stdio {
        /// The program.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// What is added to its environment.
        env: BTreeMap<String, String>,
    },
    /// Streamable HTTP.
    Http {
        /// Where it is.
        url: String,
        /// What each request carries.
        headers: BTreeMap<String, String>,
    },
    /// HTTP with server-sent events, the transport before Streamable HTTP.
    Sse {
        /// Where its stream begins.
        url: String,
        /// What each request carries.
        headers: BTreeMap<String, String>,
    },
}
