//! The tables, and the steps from each format of the file to the next.

use rusqlite::Connection;

use super::error::StoreError;
use super::immediate;

/// The format this version writes.
pub(super) const FORMAT: i64 = 4;

/// Step `n` leads from format `n` to format `n + 1`. A step that was released is never changed.
const STEPS: [&str; 4] = [
    include_str!("schema/1.sql"),
    include_str!("schema/2.sql"),
    include_str!("schema/3.sql"),
    include_str!("schema/4.sql"),
];

const _: () = assert!(STEPS.len() as i64 == FORMAT, "one step per format");

/// Format of the file; 0 for an empty one.
pub(super) fn format(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// Brings the file to [`FORMAT`], all steps or none. Nobody else may have it open.
pub(super) fn migrate(connection: &mut Connection) -> Result<(), StoreError> {
    let transaction = immediate(connection)?;
    let found = format(&transaction)?;
    for (step, sql) in (0..).zip(STEPS) {
        if step >= found {
            transaction.execute_batch(sql)?;
        }
    }
    transaction.pragma_update(None, "user_version", FORMAT)?;
    Ok(transaction.commit()?)
}
