//! With the real FFmpeg, where it is installed; `e2e/ensure-ffmpeg` installs it or says that these tests do nothing.

use super::super::super::ingest::tests::room_with_decoder;
use super::super::super::sniff::{Found, sniff};
use super::*;
use sidewire_contract::media::TimelineFrame;

fn installed() -> Option<Ffmpeg> {
    let ffmpeg = Ffmpeg::find(std::env::var_os("PATH").as_deref());
    if ffmpeg.is_none() {
        println!("skipped: ffmpeg and ffprobe are not installed here");
    }
    ffmpeg
}

/// A moving picture of 160 × 90 that FFmpeg draws, two seconds long, as these arguments say.
async fn drawn(ffmpeg: &Ffmpeg, args: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("drawn");
    let source = "-v error -nostdin -f lavfi -i testsrc=s=160x90:d=2:r=10,format=rgb24";
    let mut all: Vec<OsString> = source
        .split(' ')
        .chain(args.split(' '))
        .map(OsString::from)
        .collect();
    all.push(path.clone().into());
    let all: Vec<&OsStr> = all.iter().map(OsString::as_os_str).collect();
    let limit = Duration::from_secs(60);
    let output = crate::process::run_briefly(ffmpeg.decoder.as_os_str(), &all, limit);
    let output = output.await.unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    fs::read(&path).unwrap()
}

/// The arguments of each format that FFmpeg writes everywhere. Noise makes the film longer than any pipe, and its
/// description stands at its end.
const FORMATS: [(MimeType, &str); 3] = [
    (
        MimeType::Mp4,
        "-vf noise=alls=100:allf=t -c:v mpeg4 -q:v 1 -pix_fmt yuv420p -f mp4",
    ),
    (MimeType::Gif, "-f gif"),
    (MimeType::Png, "-plays 0 -f apng"),
];

#[tokio::test]
async fn stills_of_every_format_from_the_disk_and_from_memory() {
    let Some(ffmpeg) = installed() else { return };
    for (mime, args) in FORMATS {
        let bytes = drawn(&ffmpeg, args).await;
        for is_private in [false, true] {
            let room = room_with_decoder(ffmpeg.clone(), is_private).await;
            let what = format!("{mime:?}, private: {is_private}");
            let media = room.show(&bytes).await.unwrap();
            if is_private && !INPUT_IS_FILE && mime != MimeType::Gif {
                // A pipe is read in one order only.
                assert!(media.degradation.is_some(), "{what}");
                continue;
            }
            assert_eq!(media.degradation, None, "{what}");
            let size = (media.width, media.height, media.duration_ms);
            assert_eq!(
                size,
                (Positive::new(160), Positive::new(90), Positive::new(2000)),
                "{what}"
            );
            let frames = media.timeline.as_ref().unwrap().frames();
            assert!((23..=25).contains(&frames.len()), "{what}: {}", frames.len());
            let TimelineFrame::Asset { asset, .. } = &frames[0] else {
                panic!("{what}")
            };
            assert_eq!(media.poster.as_ref(), Some(asset), "{what}");
            let Found::Picture(still) = sniff(std::io::Cursor::new(room.read(asset).await.unwrap())).unwrap()
            else {
                panic!("{what}")
            };
            assert_eq!(
                (still.width, still.height),
                (Positive::new(160), Positive::new(90)),
                "{what}"
            );
        }
    }
}

/// A WebP of two pictures. Many versions of FFmpeg read only those that stand still.
const WEBP: &[u8] =
    b"\x52\x49\x46\x46\xc4\x00\x00\x00\x57\x45\x42\x50\x56\x50\x38\x58\x0a\x00\x00\x00\x12\x00\x00\x00\
    \x03\x00\x00\x03\x00\x00\x41\x4e\x49\x4d\x06\x00\x00\x00\xff\xff\xff\xff\x01\x00\x41\x4e\x4d\x46\
    \x4a\x00\x00\x00\x00\x00\x00\x00\x00\x00\x03\x00\x00\x03\x00\x00\x64\x00\x00\x02\x56\x50\x38\x4c\
    \x31\x00\x00\x00\x2f\x03\xc0\x00\x00\x47\x20\x10\x48\xda\x1f\x7a\x0d\x01\x41\xd1\x75\xcb\x09\x08\
    \x8a\xfc\x1f\x6d\xfe\x03\xd9\x20\x26\x30\xf1\x01\x59\x80\x69\xd4\x62\xf7\x5c\x12\x88\x25\x87\x22\
    \xfa\x1f\x8d\xc8\x07\x00\x41\x4e\x4d\x46\x46\x00\x00\x00\x00\x00\x00\x01\x00\x00\x03\x00\x00\x01\
    \x00\x00\x64\x00\x00\x00\x56\x50\x38\x4c\x2d\x00\x00\x00\x2f\x03\x40\x00\x10\x27\x20\x10\x20\xc8\
    \xf0\xdf\xe3\x8f\x20\xdb\x66\x63\x9a\xd3\xfd\x0d\x2e\x20\x28\xf2\x7f\xb4\xf9\x0f\xa0\xbb\x6b\xb1\
    \x41\x20\x90\xe2\x94\x56\x38\xa2\xff\x41\x03\x00";

#[tokio::test]
async fn a_webp_that_moves_is_decoded_or_said_to_be_missing() {
    let Some(ffmpeg) = installed() else { return };
    for is_private in [false, true] {
        let room = room_with_decoder(ffmpeg.clone(), is_private).await;
        let media = room.show(WEBP).await.unwrap();
        assert_eq!((media.width, media.height), (Positive::new(4), Positive::new(4)));
        assert_eq!(media.timeline.is_some(), media.degradation.is_none());
        assert_eq!(room.read(media.original.as_ref().unwrap()).await.unwrap(), WEBP);
    }
}

#[tokio::test]
async fn a_film_too_large_to_decode_is_shown_without_stills() {
    let Some(ffmpeg) = installed() else { return };
    let bytes = drawn(&ffmpeg, "-vf scale=6100:6100 -frames:v 1 -f gif").await;
    let room = room_with_decoder(ffmpeg, false).await;
    let media = room.show(&bytes).await.unwrap();
    assert_eq!((&media.timeline, &media.poster), (&None, &None));
    assert_eq!(media.degradation.as_deref(), Some(DEGRADATION));
}

#[tokio::test]
async fn a_long_film_is_shown_to_its_end() {
    let Some(ffmpeg) = installed() else { return };
    let bytes = drawn(&ffmpeg, "-vf setpts=60*PTS -r 1 -f gif").await;
    let room = room_with_decoder(ffmpeg, false).await;
    let media = room.show(&bytes).await.unwrap();
    assert_eq!(media.degradation, None);
    let length = media.duration_ms.unwrap().get();
    assert!(length > 110_000, "{length}");
    let frames = media.timeline.as_ref().unwrap().frames();
    let played: u64 = frames.iter().map(duration).sum();
    assert!(
        frames.len() <= FRAMES && played.abs_diff(length) < 1000,
        "{played} of {length}"
    );
}

fn duration(frame: &TimelineFrame) -> u64 {
    match frame {
        TimelineFrame::Text { duration_ms, .. } | TimelineFrame::Asset { duration_ms, .. } => {
            duration_ms.get()
        }
    }
}
