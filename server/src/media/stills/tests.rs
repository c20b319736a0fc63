use sidewire_contract::number::Positive;

use super::super::ffmpeg::tests::{Fake, fake};
use super::super::ingest::tests::room_with_decoder;
use super::super::sniff::tests::{gif, png};
use super::super::timeline::FRAMES;
use super::*;

/// A decoder that does as the script says, and a probe that knows this length.
fn decoder(seconds: &str, script: &str) -> Fake {
    let probe = format!(r#"{{"streams":[{{"width":3,"height":2}}],"format":{{"duration":"{seconds}"}}}}"#);
    let script = format!("case $0 in *ffprobe) cat $HERE/probe;; *) {script};; esac");
    fake(&script).with("probe", probe.as_bytes())
}

async fn shown(decoder: &Fake) -> Media {
    let room = room_with_decoder(decoder.ffmpeg.clone(), true).await;
    room.show(&gif(3, 2)).await.unwrap()
}

#[tokio::test]
async fn every_still_is_put_away_before_the_next_one_is_asked_for() {
    let room_of = |ffmpeg: &Ffmpeg| room_with_decoder(ffmpeg.clone(), false);
    // The second still comes when the first one lies beside the file itself.
    let script =
        "cat $HERE/one; until [ $(ls -A $(cat $HERE/media) | wc -l) -ge 2 ]; do :; done; cat $HERE/two";
    let decoder = decoder("0.2", script)
        .with("one", &png(3, 2, b"one"))
        .with("two", &png(3, 2, b"two"));
    let room = room_of(&decoder.ffmpeg).await;
    let decoder = decoder.with("media", room.media().to_str().unwrap().as_bytes());
    let media = room.show(&gif(3, 2)).await.unwrap();
    assert_eq!(media.timeline.unwrap().frames().len(), 2);
    drop(decoder);
}

#[tokio::test]
async fn a_long_film_is_shown_slower_and_to_its_end() {
    let asks = "printf '%s\\n' \"$@\" > $HERE/args; for i in $(seq 720); do cat $HERE/out; done";
    let decoder = decoder("600", asks).with("out", &png(3, 2, b"x"));
    let media = shown(&decoder).await;
    assert!(decoder.read("args").contains("fps=1000/834,"));
    assert_eq!(
        (&media.degradation, media.duration_ms),
        (&None, Positive::new(600_000))
    );
    assert_eq!(media.timeline.unwrap().frames().len(), FRAMES);
}

#[tokio::test]
async fn what_ends_early_says_so_and_is_as_long_as_it_shows() {
    for (seconds, file, script, stills) in [
        // As many as there may be, and nobody knows how many there were.
        (
            "N/A",
            20,
            "for i in $(seq 720); do cat $HERE/out; done",
            FRAMES as u64,
        ),
        // More bytes than there may be.
        ("10", 30_000_000, "while cat $HERE/out; do :; done", 4),
    ] {
        let comment = vec![0; file.min(24_000_000)];
        let decoder = decoder(seconds, script).with("out", &png(3, 2, &comment));
        let media = shown(&decoder).await;
        assert_eq!(media.degradation.as_deref(), Some(DEGRADATION_CUT));
        assert_eq!(media.duration_ms, Positive::new(stills * 84));
        assert_eq!(media.timeline.unwrap().frames().len() as u64, stills);
    }
}

#[tokio::test]
async fn a_decoder_that_fails_half_way_leaves_the_first_still() {
    let (one, two) = (png(3, 2, b"one"), png(3, 2, b"two"));
    let decoder = decoder("2", "cat $HERE/out; exit 3").with("out", &[one, two].concat());
    let media = shown(&decoder).await;
    assert_eq!(media.degradation.as_deref(), Some(DEGRADATION));
    assert!(media.poster.is_some() && media.timeline.is_none());
    assert_eq!(media.duration_ms, Positive::new(2000), "that of the film");
}
