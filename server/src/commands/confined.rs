//! `sidewire confined`: the hidden command between us and every shell command, and every program that speaks with us.

use std::process::ExitCode;

use anyhow::Context as _;

use crate::cli::ConfinedArgs;
use crate::process::{Bounds, become_program, confine, run_family, run_speaking};
use crate::ui;

/// What shells answer for a program that cannot be run.
const CANNOT_RUN: u8 = 126;

/// Confines this process and runs the program in it, as it would run by itself.
pub(crate) fn run(args: &ConfinedArgs) -> ExitCode {
    start(args).unwrap_or_else(|error| {
        ui::fail(&error);
        ExitCode::from(CANNOT_RUN)
    })
}

fn start(args: &ConfinedArgs) -> anyhow::Result<ExitCode> {
    let (program, rest) = args.program.split_first().context("there is no program")?;
    let failed = || format!("failed to run {}", program.display());
    if args.speaks {
        let end = run_speaking(program, rest).with_context(failed)?;
        return Ok(end.repeat());
    }
    if !args.anywhere {
        let bounds = bounds(args).context("nothing says what the command may do")?;
        confine(&bounds).context("failed to confine the command")?;
    }
    if args.watch {
        let end = run_family(program, rest).with_context(failed)?;
        return Ok(end.repeat());
    }
    Err(become_program(program, rest)).with_context(failed)
}

/// The bounds that were given, here or in the environment. None at all are no bounds: whoever started us may have lost
/// them on the way.
fn bounds(args: &ConfinedArgs) -> Option<Bounds> {
    let given = Bounds {
        write: args.write.clone(),
        hide: args.hide.clone(),
        show: args.show.clone(),
    };
    if given != Bounds::default() {
        return Some(given);
    }
    let told = std::env::var(Bounds::VARIABLE).ok()?;
    Some(Bounds::from_variable(&told))
}
