//! Small values that must outlive the process, by name.

use rusqlite::OptionalExtension;
use serde_json::Value;

use super::error::StoreError;
use super::rows::{json, read_json};
use super::{Durability, Store};

impl Store {
    /// The value of a setting, when it was ever set.
    pub async fn setting_get(&self, key: &str) -> Result<Option<Value>, StoreError> {
        let key = key.to_owned();
        self.read(move |connection| {
            let value: Option<String> = connection
                .query_row("SELECT value FROM setting WHERE key = ?1", [key], |row| {
                    row.get(0)
                })
                .optional()?;
            value.map(|value| read_json(&value, "setting")).transpose()
        })
        .await
    }

    /// Sets a setting.
    pub async fn setting_set(&self, key: &str, value: &Value) -> Result<(), StoreError> {
        let (key, value) = (key.to_owned(), json(value, "setting")?);
        self.write(Durability::Now, move |connection| {
            connection.execute(
                "INSERT INTO setting (key, value) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET value = excluded.value",
                (key, value),
            )?;
            Ok(())
        })
        .await
    }
}
