//! Reads a page snapshot (JSON, as on the wire) and prints the page block a model would get of it.
//!
//! Usage: `page_block BUDGET_BYTES < snapshot.json`. The capture benchmark (`e2e/capture-quality`) runs it.

use std::error::Error;
use std::io::{Read as _, Write as _, stdin, stdout};

use sidewire_agent::page_block::render;
use sidewire_contract::page::{PageContext, PageSnapshot};

fn main() -> Result<(), Box<dyn Error>> {
    let budget = std::env::args()
        .nth(1)
        .ok_or("usage: page_block BUDGET_BYTES < snapshot.json")?
        .parse()?;
    let mut json = String::new();
    stdin().read_to_string(&mut json)?;
    let snapshot: PageSnapshot = serde_json::from_str(&json)?;
    let block = render(&PageContext::from(snapshot), budget);
    stdout().write_all(block.text.as_bytes())?;
    Ok(())
}
