//! Files that other languages read too: the seeds, the MAC vectors, the identity.

use hmac::{Hmac, KeyInit, Mac};
use serde_json::Value;
use sha2::{Digest, Sha256};
use sidewire_contract::bridge::mac::{MacContext, MacLabel, mac_transcript, pair_secret_transcript};
use sidewire_contract::identity;
use std::str::FromStr;

#[test]
fn the_seeds_are_stored_byte_for_byte() {
    let sha256 = |bytes: &[u8]| hex::encode(Sha256::digest(bytes));
    assert_eq!(
        sha256(include_bytes!("../../schema/chat-2.1.0.json")),
        "ea018fb96d6e733567c2935ca7d7c305f58decfc7deb6217cd10bd3406d84d94"
    );
    assert_eq!(
        sha256(include_bytes!("../../schema/extension-v1.json")),
        "22338e662c66a0cb0f6055263afc18e122640e71f552b601251a1c7899593be3"
    );
}

#[test]
fn macs_match_the_vectors() {
    let vectors: Value = serde_json::from_str(include_str!("../../schema/mac-vectors.json")).unwrap();
    for vector in vectors["proofs"].as_array().unwrap() {
        let label = if vector["side"] == "server" {
            MacLabel::Server
        } else {
            MacLabel::Client
        };
        let context = MacContext {
            nonce_c: &member(vector, "nonceC"),
            nonce_s: &member(vector, "nonceS"),
            authority: vector["authority"].as_str().unwrap(),
            origin: vector["origin"].as_str(),
            key_id: &member(vector, "keyId"),
        };
        let transcript = mac_transcript(label, &context);
        assert_eq!(
            hex::encode(&transcript),
            vector["transcript"],
            "{}",
            vector["name"]
        );
        assert_eq!(mac(vector, &transcript), vector["mac"], "{}", vector["name"]);
    }
    for vector in vectors["pairings"].as_array().unwrap() {
        let transcript = pair_secret_transcript(
            &member(vector, "nonceC"),
            &member(vector, "nonceS"),
            &member(vector, "instance"),
        );
        assert_eq!(
            hex::encode(&transcript),
            vector["transcript"],
            "{}",
            vector["name"]
        );
        assert_eq!(
            mac(vector, &transcript),
            vector["newSecret"],
            "{}",
            vector["name"]
        );
    }
}

fn member<T: FromStr<Err: std::fmt::Debug>>(vector: &Value, key: &str) -> T {
    vector[key].as_str().unwrap().parse().unwrap()
}

fn mac(vector: &Value, transcript: &[u8]) -> String {
    let secret = hex::decode(vector["secret"].as_str().unwrap()).unwrap();
    let mut mac = Hmac::<Sha256>::new_from_slice(&secret).unwrap();
    mac.update(transcript);
    hex::encode(mac.finalize().into_bytes())
}

#[test]
fn the_identity_is_the_same_for_every_language() {
    let file: Value = serde_json::from_str(include_str!("../../identity.json")).unwrap();
    assert_eq!(file["nativeHost"], identity::NATIVE_HOST);
    assert_eq!(file["extensionId"], identity::EXTENSION_ID);
    assert_eq!(file["firefoxAddonId"], identity::FIREFOX_ADDON_ID);
    assert_eq!(file["portFirst"], identity::PORT_FIRST);
    assert_eq!(file["portLast"], identity::PORT_LAST);
}

#[test]
fn versions_are_those_of_the_schema_files() {
    let chat: Value = serde_json::from_str(include_str!("../../schema/chat-2.1.0.json")).unwrap();
    let bridge: Value = serde_json::from_str(include_str!("../../schema/bridge-1.json")).unwrap();
    assert_eq!(chat["contractVersion"], identity::CONTRACT_VERSION);
    assert_eq!(bridge["bridgeVersion"], identity::BRIDGE_VERSION);
}
