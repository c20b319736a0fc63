//! The command line: what can be asked of `sidewire`. Nothing here does anything.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use secrecy::SecretString;
use sidewire_agent::briefing::Preset;
use sidewire_agent::permission::Ceiling;
use sidewire_contract::mode::Mode;
use url::Url;

use crate::commands::browsers::Browser;
use crate::config::{ExtensionId, check_window, parse_base_url};

/// One assistant beside your browser and in your editor.
///
/// Everything Sidewire keeps lies in the usual folders of the system, or below SIDEWIRE_HOME when that is set.
#[derive(Debug, Parser)]
#[command(name = "sidewire", version, arg_required_else_help = true)]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Every command.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run the worker that browsers and editors talk to
    Serve(ServeArgs),
    /// Be the agent of an editor, over standard input and output (Agent Client Protocol)
    Acp(AcpArgs),
    /// Ask one question in the terminal, about a page if you like
    Ask(AskArgs),
    /// Choose the model that answers, and test it
    Setup(SetupArgs),
    /// Register the native messaging host with the browsers of this user
    Install(InstallArgs),
    /// Remove what `install` registered
    Uninstall(UninstallArgs),
    /// Find out what is wrong and how to fix it
    Doctor(DoctorArgs),
    /// Let a browser without native messaging connect
    Pair(PairArgs),
    /// Take out or delete everything Sidewire has kept
    #[command(subcommand)]
    Data(DataCommand),
    /// Show and decide about the MCP servers of a project
    Mcp(McpArgs),
    /// Run a program that writes and reads only where it may; used by this program itself
    #[command(hide = true)]
    Confined(ConfinedArgs),
}

/// `sidewire serve`.
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// Listen on this port only, 0 for any free one [default: the first free one from 19222 to 19241]
    #[arg(long)]
    pub(crate) port: Option<u16>,
    /// Leave the terminal and go on in the background
    #[arg(long)]
    pub(crate) detached: bool,
    /// End some minutes after the last client and turn, as a worker started by a browser does
    #[arg(long)]
    pub(crate) idle_exit: bool,
}

/// `sidewire acp`.
#[derive(Debug, Args)]
pub(crate) struct AcpArgs {
    /// The model that sessions begin with, like `default/NAME`, or `offline` [default: the one that is set up]
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// How thoroughly sessions work: light, balanced or delivery
    #[arg(long, value_name = "NAME", value_parser = parse_preset)]
    pub(crate) preset: Option<Preset>,
    /// The same under its older name: economy, balanced or delivery
    #[arg(long, value_name = "NAME", value_parser = parse_profile, conflicts_with = "preset", hide = true)]
    pub(crate) profile: Option<Preset>,
    /// Start sessions in this posture, which is also the most permissive one a client can choose
    #[arg(long, value_name = "MODE")]
    pub(crate) permission_mode: Option<Ceiling>,
    /// Let sessions work in their own folder only
    #[arg(long)]
    pub(crate) workspace_only: bool,
    /// Something else than serving an editor.
    #[command(subcommand)]
    pub(crate) command: Option<AcpCommand>,
}

/// What an editor may start beside the agent itself.
#[derive(Debug, Subcommand)]
pub(crate) enum AcpCommand {
    /// Choose the model that answers, and test it
    Setup(SetupArgs),
}

fn parse_preset(name: &str) -> Result<Preset, String> {
    match name {
        "light" => Ok(Preset::Light),
        "balanced" => Ok(Preset::Balanced),
        "delivery" => Ok(Preset::Delivery),
        _ => Err("it is one of light, balanced and delivery".to_owned()),
    }
}

fn parse_profile(name: &str) -> Result<Preset, String> {
    match name {
        "economy" => Ok(Preset::Light),
        "balanced" => Ok(Preset::Balanced),
        "delivery" => Ok(Preset::Delivery),
        _ => Err("it is one of economy, balanced and delivery".to_owned()),
    }
}

/// `sidewire ask`.
#[derive(Debug, Args)]
pub(crate) struct AskArgs {
    /// A page to ask about: a page snapshot (JSON) or an HTML file
    #[arg(long, value_name = "FILE")]
    pub(crate) page: Option<PathBuf>,
    /// What kind of answer you want
    #[arg(long, value_enum, default_value = "educational")]
    pub(crate) mode: ModeName,
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// The question; several words need no quotes
    #[arg(required = true)]
    pub(crate) question: Vec<String>,
}

/// The modes as they are written on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ModeName {
    /// Explain what is on the page
    Educational,
    /// Show it to an audience
    Presentation,
    /// Help to set it up
    Configuration,
    /// Work with pictures of the page
    Screenshot,
    /// Mark things on the page
    Annotation,
}

impl From<ModeName> for Mode {
    fn from(name: ModeName) -> Self {
        match name {
            ModeName::Educational => Self::Educational,
            ModeName::Presentation => Self::Presentation,
            ModeName::Configuration => Self::Configuration,
            ModeName::Screenshot => Self::Screenshot,
            ModeName::Annotation => Self::Annotation,
        }
    }
}

/// `sidewire setup`.
#[derive(Debug, Args)]
pub(crate) struct SetupArgs {
    /// What answers [default: asks]
    #[arg(long, value_enum)]
    pub(crate) kind: Option<ProviderKind>,
    /// Where the API of the server begins, like http://127.0.0.1:11434/v1
    #[arg(long, value_name = "URL", value_parser = parse_base_url)]
    pub(crate) base_url: Option<Url>,
    /// Which model of the server
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// The key; other users may see it in the list of processes, so better use --api-key-stdin
    #[arg(long, value_name = "KEY", conflicts_with = "api_key_stdin", value_parser = parse_secret)]
    pub(crate) api_key: Option<SecretString>,
    /// Read the key from the first line of standard input
    #[arg(long)]
    pub(crate) api_key_stdin: bool,
    /// Context window of the model in tokens, if the server does not tell the right one
    #[arg(long, value_name = "TOKENS", value_parser = parse_window)]
    pub(crate) window: Option<u64>,
    /// Ask nothing; fail when something is missing or the test fails
    #[arg(long, short)]
    pub(crate) yes: bool,
}

/// Kinds of providers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProviderKind {
    /// A server with an OpenAI-compatible API, on this machine or elsewhere
    Openai,
    /// Anthropic, or a server with its messages API
    Anthropic,
    /// No model: answers are looked up in the page
    Offline,
}

/// `sidewire install`.
#[derive(Debug, Args)]
pub(crate) struct InstallArgs {
    /// Only these browsers [default: those that were used by this user]
    #[arg(long, value_enum, num_args = 1.., value_name = "NAME", conflicts_with = "profile")]
    pub(crate) browser: Vec<Browser>,
    /// Every browser we know, used or not
    #[arg(long, conflicts_with_all = ["browser", "profile"])]
    pub(crate) all: bool,
    /// Register in this profile folder only (what the browser got as --user-data-dir)
    #[arg(long, value_name = "DIR")]
    pub(crate) profile: Option<PathBuf>,
    /// Trust these extensions too, such as a build of your own
    #[arg(long, num_args = 1.., value_name = "ID")]
    pub(crate) extension_id: Vec<ExtensionId>,
    /// The native messaging host [default: sidewire-host beside this program]
    #[arg(long, value_name = "PATH")]
    pub(crate) host_path: Option<PathBuf>,
}

/// `sidewire uninstall`.
#[derive(Debug, Args)]
pub(crate) struct UninstallArgs {
    /// Only these browsers [default: all]
    #[arg(long, value_enum, num_args = 1.., value_name = "NAME", conflicts_with = "profile")]
    pub(crate) browser: Vec<Browser>,
    /// From this profile folder only
    #[arg(long, value_name = "DIR")]
    pub(crate) profile: Option<PathBuf>,
}

/// `sidewire doctor`.
#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Print the findings as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Also write a report for a bug report: no keys, no conversations, no user name
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Also look into this profile folder (what the browser got as --user-data-dir)
    #[arg(long, value_name = "DIR")]
    pub(crate) profile: Option<PathBuf>,
}

/// `sidewire pair`.
#[derive(Debug, Args)]
pub(crate) struct PairArgs {
    /// Show what is paired
    #[arg(long, conflicts_with = "revoke")]
    pub(crate) list: bool,
    /// Forget one pairing; its browser has to be paired again
    #[arg(long, value_name = "KEYID")]
    pub(crate) revoke: Option<String>,
}

/// `sidewire data`.
#[derive(Debug, Subcommand)]
pub(crate) enum DataCommand {
    /// Write all conversations as JSON lines
    Export {
        /// Where to [default: standard output]
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Delete all conversations, their media and logs; settings, pairings and your key stay
    Delete {
        /// Do not ask
        #[arg(long, short)]
        yes: bool,
    },
}

/// `sidewire mcp`.
#[derive(Debug, Args)]
pub(crate) struct McpArgs {
    /// The project's folder [default: the current one]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    #[command(subcommand)]
    pub(crate) action: McpAction,
}

/// What to do with MCP servers.
#[derive(Debug, Subcommand)]
pub(crate) enum McpAction {
    /// Show all servers, what each would start, and whether it may
    List,
    /// Show a server that the project brings, and let it start when you agree
    Allow {
        /// Its name
        name: String,
        /// Agree to the definition that `list` shows with this fingerprint, without being asked
        #[arg(long, value_name = "HASH")]
        fingerprint: Option<String>,
    },
    /// Take that back
    Revoke {
        /// Its name
        name: String,
    },
    /// Switch a server off
    Disable {
        /// Its name
        name: String,
    },
    /// Switch it on again
    Enable {
        /// Its name
        name: String,
    },
}

/// `sidewire confined`.
#[derive(Debug, Args)]
pub(crate) struct ConfinedArgs {
    /// It may write below this place
    #[arg(long, value_name = "PATH")]
    pub(crate) write: Vec<PathBuf>,
    /// It may not read below this place
    #[arg(long, value_name = "PATH")]
    pub(crate) hide: Vec<PathBuf>,
    /// But it may below this one, in a hidden place too
    #[arg(long, value_name = "PATH")]
    pub(crate) show: Vec<PathBuf>,
    /// It may read and write anywhere
    #[arg(long, conflicts_with_all = ["write", "hide", "show"])]
    pub(crate) anywhere: bool,
    /// End the program and everything it started as soon as standard input ends
    #[arg(long)]
    pub(crate) watch: bool,
    /// The same for a program that speaks on its standard streams: confine nothing, and end it as soon as the other end
    /// of standard error is closed
    #[arg(long, conflicts_with_all = ["write", "hide", "show", "anywhere", "watch"])]
    pub(crate) speaks: bool,
    /// The program and its arguments
    #[arg(last = true, required = true)]
    pub(crate) program: Vec<OsString>,
}

#[expect(clippy::unnecessary_wraps, reason = "the shape clap asks for")]
fn parse_secret(text: &str) -> Result<SecretString, std::convert::Infallible> {
    Ok(SecretString::from(text))
}

fn parse_window(text: &str) -> Result<u64, String> {
    let tokens = text.parse::<u64>().map_err(|error| error.to_string())?;
    check_window(tokens).map_err(str::to_owned)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_definitions_fit_together() {
        Cli::command().debug_assert();
    }

    #[test]
    fn a_question_needs_no_quotes() {
        let cli = Cli::try_parse_from(["sidewire", "ask", "--page", "p.html", "what", "is", "this"]).unwrap();
        let Command::Ask(ask) = cli.command else {
            panic!("not ask")
        };
        assert_eq!(ask.question, ["what", "is", "this"]);
        assert_eq!(Mode::from(ask.mode), Mode::Educational);
    }

    #[test]
    fn the_unattended_form_of_setup_is_understood_and_hides_the_key() {
        let line =
            "sidewire setup --kind openai --base-url http://127.0.0.1:9/v1/ --model m --api-key sk-123 --yes";
        let cli = Cli::try_parse_from(line.split(' ')).unwrap();
        assert!(!format!("{cli:?}").contains("sk-123"));
        let Command::Setup(setup) = cli.command else {
            panic!("not setup")
        };
        assert_eq!(setup.base_url.unwrap().as_str(), "http://127.0.0.1:9/v1");
        assert!(setup.yes);
    }

    #[test]
    fn an_editor_may_append_the_setup_to_what_it_starts() {
        let line = "sidewire acp --model m --permission-mode acceptEdits --profile economy setup --kind offline --yes";
        let cli = Cli::try_parse_from(line.split(' ')).unwrap();
        let Command::Acp(acp) = cli.command else {
            panic!("not acp")
        };
        assert_eq!(acp.profile, Some(Preset::Light));
        assert!(acp.permission_mode.unwrap().accepts_edits);
        let Some(AcpCommand::Setup(setup)) = acp.command else {
            panic!("not setup")
        };
        assert_eq!(setup.kind, Some(ProviderKind::Offline));
    }

    #[test]
    fn wrong_values_are_named() {
        let rows = [
            ("serve --port 65536", "65536"),
            ("setup --base-url ftp://x", "http://"),
            ("setup --window 12", "1024"),
            ("setup --api-key a --api-key-stdin", "cannot be used"),
            ("install --extension-id ABC", "32 letters"),
            ("install --browser netscape", "netscape"),
            ("install --all --browser chrome", "cannot be used"),
            ("acp --preset fast", "light, balanced and delivery"),
            ("acp --preset light --profile economy", "cannot be used"),
            ("acp --permission-mode plan", "interactive session"),
            ("acp --permission-mode all", "bypassPermissions"),
            ("ask", "QUESTION"),
        ];
        for (line, part) in rows {
            let error = Cli::try_parse_from(std::iter::once("sidewire").chain(line.split(' '))).unwrap_err();
            assert!(error.to_string().contains(part), "{line}: {error}");
        }
    }
}
