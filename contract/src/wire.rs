//! The few rules by which our JSON is stricter than serde's defaults.
//!
//! Serde reads a struct from an array, a unit variant from a map and `null` as an absent option; the schema allows
//! none of the three. The macros here only implement traits: every type stands written out in its own module.

use serde::de::{Deserialize, Deserializer, Error, Visitor};
use std::fmt;
use std::marker::PhantomData;

/// Reads an optional member that may be absent but not null (to be used with `default`).
pub(crate) fn present<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    T::deserialize(deserializer).map(Some)
}

/// Reads a member that may be null but not absent.
pub(crate) fn nullable<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Option::deserialize(deserializer)
}

/// Reads a JSON string, and nothing else, through `parse`.
pub(crate) fn read_text<'de, D, T, E>(deserializer: D, parse: fn(&str) -> Result<T, E>) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    E: fmt::Display,
{
    deserializer.deserialize_str(TextVisitor {
        parse,
        result: PhantomData,
    })
}

struct TextVisitor<T, E> {
    parse: fn(&str) -> Result<T, E>,
    result: PhantomData<T>,
}

impl<T, E: fmt::Display> Visitor<'_> for TextVisitor<T, E> {
    type Value = T;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a string")
    }

    fn visit_str<X: Error>(self, text: &str) -> Result<T, X> {
        (self.parse)(text).map_err(X::custom)
    }
}

/// Lets structs be read from JSON objects only, never from arrays.
///
/// Each struct derives with `#[serde(remote = "Self")]`, which makes the derived code an inherent function; a struct
/// that is missing here has no `Deserialize` at all, so none can be forgotten. `where` names a check of the whole.
macro_rules! read_objects {
    ($($name:ident $(where $check:path)?),+ $(,)?) => {$(
        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct ObjectVisitor;

                impl<'de> serde::de::Visitor<'de> for ObjectVisitor {
                    type Value = $name;

                    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        formatter.write_str("an object")
                    }

                    fn visit_map<A: serde::de::MapAccess<'de>>(self, map: A) -> Result<$name, A::Error> {
                        // The inherent function that `remote` derived.
                        let value = $name::deserialize(serde::de::value::MapAccessDeserializer::new(map))?;
                        $($check(&value).map_err(serde::de::Error::custom)?;)?
                        Ok(value)
                    }
                }

                deserializer.deserialize_map(ObjectVisitor)
            }
        }
    )+};
}

/// The same, and lets them be written again.
macro_rules! objects {
    ($($name:ident $(where $check:path)?),+ $(,)?) => {
        read_objects!($($name $(where $check)?),+);

        $(impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                // The inherent function that `remote` derived.
                $name::serialize(self, serializer)
            }
        })+
    };
}

/// Gives an enum of plain variants its words on the wire.
macro_rules! words {
    ($name:ident { $($variant:ident = $word:literal),+ $(,)? }) => {
        impl $name {
            /// Every value, in the order of the schema.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The word on the wire.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word),+
                }
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::text::TextError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                match text {
                    $($word => Ok(Self::$variant),)+
                    _ => Err($crate::text::TextError::new(concat!("one of", $(" ", $word),+))),
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::wire::read_text(deserializer, str::parse)
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }
    };
}

/// Gives a tuple struct around a `String` its one checking constructor and what follows from it.
macro_rules! checked_text {
    ($name:ident, $expected:literal, $holds:expr) => {
        impl $name {
            /// Checks the text.
            ///
            /// # Errors
            /// When the text does not match the pattern of the schema.
            pub fn new(text: impl Into<String>) -> Result<Self, $crate::text::TextError> {
                let text = text.into();
                let holds: fn(&str) -> bool = $holds;
                if holds(&text) {
                    Ok(Self(text))
                } else {
                    Err($crate::text::TextError::new($expected))
                }
            }

            /// The text as it stands on the wire.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::text::TextError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Self::new(text)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str(&self.0)
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::wire::read_text(deserializer, str::parse)
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }
    };
}
