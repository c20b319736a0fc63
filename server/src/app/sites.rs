//! What the worker needs of `contract/sites.json`: how links of known sites are told apart.

use anyhow::Context;
use serde::Deserialize;
use sidewire_agent::references::ReferenceKinds;

const SITES: &str = include_str!("../../../contract/sites.json");

#[derive(Deserialize)]
struct Sites {
    sites: Vec<Site>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Site {
    reference_kind: ReferenceKind,
}

#[derive(Deserialize)]
struct ReferenceKind {
    console: Vec<String>,
}

/// Console hosts of every known site.
pub(super) fn reference_kinds() -> anyhow::Result<ReferenceKinds> {
    let sites: Sites = serde_json::from_str(SITES).context("failed to read the built-in sites.json")?;
    Ok(ReferenceKinds {
        console_hosts: sites
            .sites
            .into_iter()
            .flat_map(|site| site.reference_kind.console)
            .collect(),
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_built_in_sites_name_a_console() {
        assert_eq!(
            super::reference_kinds().unwrap().console_hosts,
            ["*.console.ves.volterra.io"]
        );
    }
}
