//! Numbers as the schema means them: 1.0 is an integer, equality is by value, nothing is lost on the way through.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

/// A JSON number as it came.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Number(serde_json::Number);

impl Number {
    /// The value as an integer, when it is one that fits.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        self.0.as_i64().or_else(|| {
            let value = self.0.as_f64()?;
            // Beyond 2^53 a double no longer says which integer was meant.
            (value.fract() == 0.0 && value.abs() <= EXACT_DOUBLE).then(|| truncate(value))
        })
    }

    /// The value as a double.
    #[must_use]
    pub fn as_f64(&self) -> f64 {
        self.0.as_f64().unwrap_or(f64::MAX)
    }

    /// The whole part, forced into a range; the way to use a number from a peer without trusting it.
    #[must_use]
    pub fn clamp_i64(&self, min: i64, max: i64) -> i64 {
        self.0
            .as_i64()
            .unwrap_or_else(|| truncate(self.as_f64()))
            .clamp(min, max)
    }
}

const EXACT_DOUBLE: f64 = 9_007_199_254_740_992.0;

#[expect(
    clippy::cast_possible_truncation,
    reason = "the cast saturates, which is what the callers want"
)]
fn truncate(value: f64) -> i64 {
    value as i64
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        // Integers compare exactly; a double is only involved where one of the two is written as one.
        self.0 == other.0 || (self.0.is_f64() || other.0.is_f64()) && self.as_f64() == other.as_f64()
    }
}

impl From<serde_json::Number> for Number {
    fn from(value: serde_json::Number) -> Self {
        Self(value)
    }
}

impl From<i64> for Number {
    fn from(value: i64) -> Self {
        Self(value.into())
    }
}

impl From<u64> for Number {
    fn from(value: u64) -> Self {
        Self(value.into())
    }
}

/// An integer that is not negative. What exceeds 64 bits is held as the greatest value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Count(u64);

impl Count {
    /// The value.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl From<u64> for Count {
    fn from(value: u64) -> Self {
        Self(value)
    }
}

impl From<u32> for Count {
    fn from(value: u32) -> Self {
        Self(value.into())
    }
}

impl From<usize> for Count {
    fn from(value: usize) -> Self {
        Self(u64::try_from(value).unwrap_or(u64::MAX))
    }
}

/// An integer of at least one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Positive(u64);

impl Positive {
    /// The value, unless it is zero.
    #[must_use]
    pub const fn new(value: u64) -> Option<Self> {
        if value == 0 { None } else { Some(Self(value)) }
    }

    /// The value.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }
}

/// The length of one media chunk: 0 to 262,144 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChunkLen(u32);

impl ChunkLen {
    /// The longest chunk.
    pub const MAX: Self = Self(262_144);

    /// The value, unless it is above the limit of the contract.
    #[must_use]
    pub const fn new(value: u32) -> Option<Self> {
        if value > Self::MAX.0 {
            None
        } else {
            Some(Self(value))
        }
    }

    /// The value.
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0
    }
}

/// The constant 1, which the schema also accepts as 1.0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct One;

/// Reads a number and gives its whole value when it is an integer that is not negative.
fn read_count<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let number = serde_json::Number::deserialize(deserializer)?;
    if let Some(value) = number.as_u64() {
        return Ok(value);
    }
    match number.as_f64() {
        Some(value) if value >= 0.0 && value.fract() == 0.0 => Ok(truncate_unsigned(value)),
        _ => Err(D::Error::custom("expected an integer that is not negative")),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the caller made sure of the sign, and the cast saturates"
)]
fn truncate_unsigned(value: f64) -> u64 {
    value as u64
}

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read_count(deserializer).map(Self)
    }
}

impl<'de> Deserialize<'de> for Positive {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(read_count(deserializer)?)
            .ok_or_else(|| D::Error::custom("expected an integer of at least 1"))
    }
}

impl<'de> Deserialize<'de> for ChunkLen {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        u32::try_from(read_count(deserializer)?)
            .ok()
            .and_then(Self::new)
            .ok_or_else(|| D::Error::custom("expected at most 262144"))
    }
}

impl<'de> Deserialize<'de> for One {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = serde_json::Number::deserialize(deserializer)?;
        if number.as_f64() == Some(1.0) {
            Ok(Self)
        } else {
            Err(D::Error::custom("expected 1"))
        }
    }
}

impl Serialize for Count {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(self.0)
    }
}

impl Serialize for Positive {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(self.0)
    }
}

impl Serialize for ChunkLen {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u32(self.0)
    }
}

impl Serialize for One {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read<T: for<'de> Deserialize<'de>>(text: &str) -> Option<T> {
        serde_json::from_str(text).ok()
    }

    #[test]
    fn whole_doubles_are_integers() {
        assert_eq!(read::<Count>("3.0"), Some(Count(3)));
        assert_eq!(read::<Count>("1e300"), Some(Count(u64::MAX)));
        assert_eq!(read::<Count>("-0.0"), Some(Count(0)));
        assert_eq!(read::<Count>("3.5"), None);
        assert_eq!(read::<Count>("-1"), None);
        assert_eq!(read::<Count>("null"), None);
        assert_eq!(read::<Count>("\"3\""), None);
        assert_eq!(read::<One>("1.0"), Some(One));
        assert_eq!(read::<One>("2"), None);
    }

    #[test]
    fn bounds_are_inclusive() {
        assert_eq!(read::<Positive>("0"), None);
        assert_eq!(read::<Positive>("1"), Some(Positive(1)));
        assert_eq!(read::<ChunkLen>("262143"), Some(ChunkLen(262_143)));
        assert_eq!(read::<ChunkLen>("262144"), Some(ChunkLen::MAX));
        assert_eq!(read::<ChunkLen>("262145"), None);
    }

    #[test]
    fn numbers_are_equal_by_value_and_print_as_they_came() {
        let number = |text: &str| read::<Number>(text).unwrap();
        assert_eq!(number("1"), number("1.0"));
        assert_ne!(number("9007199254740993"), number("9007199254740992"));
        assert_eq!(serde_json::to_string(&number("1.0")).unwrap(), "1.0");
        assert_eq!(number("1.0").as_i64(), Some(1));
        assert_eq!(number("1.5").as_i64(), None);
        assert_eq!(number("1e20").clamp_i64(0, 10), 10);
        assert_eq!(number("-1e20").clamp_i64(0, 10), 0);
    }
}
