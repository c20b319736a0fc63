//! The schema files, the seed and the Rust types must say the same.

#[cfg(test)]
mod corpus;
#[cfg(test)]
mod examples;
#[cfg(test)]
mod mutation;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod vectors;
