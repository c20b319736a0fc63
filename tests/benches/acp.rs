//! The editor's agent beside two others, driven alike in the same run with the same model: `make peers` installs them.

mod agent;
mod driver;
mod figures;

use sidewire_tests::Home;

use crate::provider::{self, Pace};
use crate::table::Columns;
use agent::Agent;
use driver::Driver;
use figures::Figures;

/// Starts of each agent.
const STARTS: usize = 10;
/// A model that cannot be outrun.
const BURST: Pace = Pace {
    deltas: 4_992,
    apart_us: 0,
};
/// A model that speaks at an even pace.
const EVEN: Pace = Pace {
    deltas: 400,
    apart_us: 5_000,
};

/// Measures every agent that is here.
pub(crate) async fn measure() -> Columns {
    let url = provider::start().await;
    let mut columns = Columns::new(figures::ROWS);
    for agent in Agent::ALL {
        match agent.program() {
            Some(_) => columns.add(agent.name(), measure_one(agent, &url).await.cells()),
            None => columns.add(
                &format!("{} (`make peers` installs it)", agent.name()),
                Vec::new(),
            ),
        }
    }
    columns
}

async fn measure_one(agent: Agent, url: &str) -> Figures {
    let mut figures = Figures::default();
    // Its files stay, as a person's would: the first start is thrown away.
    let (home, workspace) = (Home::new(), Home::new());
    for round in 0..=STARTS {
        let mut driver = Driver::start(agent, &home, url, BURST).await;
        let opened = driver.open(workspace.path()).await;
        let turn = driver.prompt(&opened.session).await;
        let peak = driver.peak_mib();
        let exit = driver.end().await;
        if round > 0 {
            figures.add_start(&opened, &turn, peak, exit);
        }
    }
    let mut driver = Driver::start(agent, &home, url, EVEN).await;
    let opened = driver.open(workspace.path()).await;
    figures.delays_us = driver.prompt(&opened.session).await.delays_us;
    let _exit = driver.end().await;
    figures
}
