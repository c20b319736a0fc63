//! The changed files that a turn showed: written with its end, read by who shows the conversation again.

use rusqlite::{Connection, OptionalExtension as _};

use super::error::StoreError;
use super::rows::{json, read_json};
use crate::record::CallDiff;

/// Keeps those of a turn that ends; most turns change nothing and take no row.
pub(super) fn keep(connection: &Connection, turn: i64, diffs: &[CallDiff]) -> Result<(), StoreError> {
    if diffs.is_empty() {
        return Ok(());
    }
    connection
        .prepare_cached("INSERT OR REPLACE INTO turn_diffs (turn, diffs) VALUES (?1, ?2)")?
        .execute((turn, json(&diffs, "diffs")?))?;
    Ok(())
}

/// Those of a turn.
pub(super) fn of_turn(connection: &Connection, turn: i64) -> Result<Vec<CallDiff>, StoreError> {
    let found: Option<String> = connection
        .prepare_cached("SELECT diffs FROM turn_diffs WHERE turn = ?1")?
        .query_row([turn], |row| row.get(0))
        .optional()?;
    found.map_or_else(|| Ok(Vec::new()), |text| read_json(&text, "diffs"))
}

/// Copies those of the turns that were copied from one conversation to another.
pub(super) fn copy(connection: &Connection, (from, to): (i64, i64)) -> Result<(), StoreError> {
    connection.execute(
        "INSERT INTO turn_diffs (turn, diffs) SELECT copy.key, turn_diffs.diffs FROM turn AS copy \
         JOIN turn AS source ON source.conversation = ?1 AND source.number = copy.number \
         JOIN turn_diffs ON turn_diffs.turn = source.key WHERE copy.conversation = ?2",
        (from, to),
    )?;
    Ok(())
}
