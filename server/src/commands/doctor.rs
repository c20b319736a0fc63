//! `sidewire doctor`: looks at everything itself and says in one line each what is wrong and how to fix it.
//!
//! It changes nothing. Each check is a function from what it looks at to findings; this module only calls them.

mod finding;
mod home;
mod hosts;
mod policies;
mod provider;
mod report;
mod rules;
mod sandbox;
mod store;
mod worker;

use std::process::ExitCode;

use super::env::Env;
use crate::cli::DoctorArgs;
use crate::config::Config;
use crate::ui;
use finding::{Finding, Level};

/// Runs every check; the exit status is 1 when one of them failed.
pub(crate) async fn run(env: &Env, args: &DoctorArgs) -> anyhow::Result<ExitCode> {
    let findings = examine(env, args).await;
    if args.json {
        ui::say(serde_json::to_string_pretty(&findings)?);
    } else {
        findings.iter().for_each(ui::say);
    }
    if let Some(path) = &args.report {
        report::write(env, &findings, path)?;
        ui::note(format_args!(
            "wrote {}; read it before you send it",
            path.display()
        ));
    }
    let failed = findings.iter().any(|finding| finding.level == Level::Fail);
    Ok(if failed {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

async fn examine(env: &Env, args: &DoctorArgs) -> Vec<Finding> {
    let config = Config::load(&env.layout);
    let mut findings = home::folders(&env.layout);
    findings.extend(home::files(&env.layout));
    findings.push(home::config(&env.layout, &config));
    findings.extend(store::check(&env.layout).await);
    findings.extend(hosts::check(env, args.profile.as_deref()).await);
    findings.extend(policies::check(&env.places));
    findings.extend(worker::check(&env.layout).await);
    findings.extend(sandbox::check(&env.layout, config.as_ref().ok()));
    // Without a readable configuration there is no provider to try; that finding says so already.
    if let Ok(config) = config {
        findings.extend(rules::check(&config.permissions));
        findings.extend(provider::check(&env.layout, &config).await);
    }
    findings
}
