use std::fs;

use super::super::sniff::tests::{gif, png};
use super::png_stream::SIGNATURE;
use super::*;
use sidewire_contract::number::Positive;

mod real;

/// Programs that do as the script says. `$HERE` is their folder.
pub(in super::super) struct Fake {
    folder: tempfile::TempDir,
    pub(in super::super) ffmpeg: Ffmpeg,
}

pub(in super::super) fn fake(script: &str) -> Fake {
    let folder = tempfile::tempdir().unwrap();
    for name in ["ffmpeg", "ffprobe"] {
        let path = folder.path().join(name);
        let text = format!("#!/bin/sh\nHERE={}\n{script}\n", folder.path().display());
        crate::process::test_program::write(&path, &text);
    }
    let ffmpeg = Ffmpeg::find(Some(folder.path().as_os_str())).unwrap();
    Fake { folder, ffmpeg }
}

impl Fake {
    pub(in super::super) fn with(self, name: &str, bytes: &[u8]) -> Self {
        fs::write(self.folder.path().join(name), bytes).unwrap();
        self
    }

    pub(in super::super) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.folder.path().join(name)).unwrap()
    }
}

fn file(mime: MimeType) -> Input {
    Input {
        mime,
        place: InputPlace::File("/data/blob with space; rm -rf $HOME".into()),
    }
}

/// All stills of a film without a known length.
async fn stills(ffmpeg: &Ffmpeg, input: &Input) -> Result<Vec<Bytes>, FfmpegError> {
    all(ffmpeg.frames(input, &Pace::new(12, None)).await?).await
}

async fn all(mut decoding: Decoding) -> Result<Vec<Bytes>, FfmpegError> {
    let mut stills = Vec::new();
    while let Some(still) = decoding.next().await? {
        stills.push(still);
    }
    Ok(stills)
}

fn memory() -> Input {
    Input {
        mime: MimeType::Gif,
        place: InputPlace::Memory(gif(3, 2).into()),
    }
}

#[tokio::test]
async fn stills_are_taken_apart_and_the_decoder_is_kept_on_a_leash() {
    let (one, two) = (png(3, 2, b"one"), png(3, 2, b"two"));
    let fake = fake("printf '%s\\n' \"$@\" > $HERE/args; cat $HERE/out")
        .with("out", &[one.clone(), two.clone()].concat());
    let stills = stills(&fake.ffmpeg, &file(MimeType::Mp4)).await.unwrap();
    assert_eq!(stills, [one, two]);
    let args = fake.read("args");
    let args: Vec<&str> = args.lines().collect();
    let after = |name: &str| args[args.iter().position(|arg| *arg == name).unwrap() + 1];
    assert_eq!(after("-protocol_whitelist"), "file,pipe");
    assert_eq!(after("-f"), "mov");
    assert_eq!(
        after("-i"),
        "file:/data/blob with space; rm -rf $HOME",
        "one argument, and no shell in between"
    );
    assert_eq!(after("-vf"), Pace::new(12, None).filter());
    assert_eq!(after("-frames:v"), "720");
    assert_eq!(after("-filter_threads"), "1");
    assert_eq!((after("-max_pixels"), after("-max_alloc")), (PIXELS, BLOCK_BYTES));
    let input = args.iter().position(|arg| *arg == "-i").unwrap();
    for (side, part) in [("input", &args[..input]), ("output", &args[input..])] {
        assert!(part.windows(2).any(|pair| pair == ["-threads", "1"]), "{side}");
    }
    assert_eq!(args.last(), Some(&"pipe:1"));
}

#[tokio::test]
async fn what_is_in_memory_is_given_to_the_decoder() {
    let fake = fake("cat > $HERE/in; cat $HERE/out").with("out", &png(3, 2, b"x"));
    fake.ffmpeg.poster(&memory()).await.unwrap();
    let read = fs::read(fake.folder.path().join("in")).unwrap();
    assert_eq!(read, gif(3, 2));
}

#[tokio::test]
async fn garbage_and_failure_are_no_stills() {
    let good = png(3, 2, b"x");
    let many = good.repeat(FRAMES + 1);
    let huge = [&SIGNATURE[..], &[0x7f, 0xff, 0xff, 0xff], b"IDAT", &[0; 64]].concat();
    for output in [
        &b""[..],
        b"not a picture",
        &good[..good.len() - 1],
        &[good.as_slice(), b"x"].concat(),
        &huge,
        &many,
    ] {
        let fake = fake("cat $HERE/out").with("out", output);
        let error = stills(&fake.ffmpeg, &file(MimeType::Gif)).await.unwrap_err();
        assert!(matches!(error, FfmpegError::Garbage), "{error}");
    }
    let fake = fake("cat $HERE/out; exit 3").with("out", &good);
    let error = fake.ffmpeg.poster(&file(MimeType::Gif)).await.unwrap_err();
    assert!(matches!(error, FfmpegError::Failed), "{error}");
}

#[tokio::test]
async fn a_decoder_that_never_ends_is_killed_with_its_children() {
    let fake = fake("sleep 600 & echo $! > $HERE/child; cat $HERE/out; wait").with("out", &png(3, 2, b"x"));
    let input = file(MimeType::Gif);
    // Long enough for the program to get as far as that, also where everything takes long.
    for seconds in [1, 5, 25] {
        let time = Duration::from_secs(seconds);
        let never = fake.ffmpeg.decode(&input, "null", (1, time)).await.unwrap();
        assert!(matches!(all(never).await, Err(FfmpegError::TooSlow)));
        let child = fs::read_to_string(fake.folder.path().join("child")).unwrap_or_default();
        if let Ok(child) = child.trim().parse() {
            return gone(rustix::process::Pid::from_raw(child).unwrap()).await;
        }
    }
    panic!("it never began");
}

/// The kernel ends it in its own time.
async fn gone(pid: rustix::process::Pid) {
    while is_running(pid) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// A zombie nobody reaps is dead all the same.
fn is_running(pid: rustix::process::Pid) -> bool {
    let status = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero()));
    if cfg!(target_os = "linux") {
        return status.is_ok_and(|status| !status.contains(") Z "));
    }
    rustix::process::test_kill_process(pid).is_ok()
}

#[tokio::test]
async fn a_probe_says_size_and_length_or_is_not_believed() {
    let json = r#"{"programs":[],"streams":[{"width":640,"height":360}],"format":{"duration":"2.500000"}}"#;
    let fake_good = fake("cat $HERE/out").with("out", json.as_bytes());
    assert_eq!(
        fake_good.ffmpeg.probe(&file(MimeType::Mp4)).await.unwrap(),
        Probed {
            width: Positive::new(640),
            height: Positive::new(360),
            duration_ms: Positive::new(2500),
        }
    );
    let odd = r#"{"streams":[{"width":0}],"format":{"duration":"N/A"}}"#;
    let fake_odd = fake("cat $HERE/out").with("out", odd.as_bytes());
    assert_eq!(
        fake_odd.ffmpeg.probe(&file(MimeType::Mp4)).await.unwrap(),
        Probed::default()
    );
    for output in ["", "[", r#"{"streams":[{"width":-1}]}"#] {
        let fake = fake("cat $HERE/out").with("out", output.as_bytes());
        let error = fake.ffmpeg.probe(&file(MimeType::Mp4)).await.unwrap_err();
        assert!(matches!(error, FfmpegError::Garbage), "{error}");
    }
    let endless = fake("yes");
    let error = endless.ffmpeg.probe(&file(MimeType::Mp4)).await.unwrap_err();
    assert!(matches!(error, FfmpegError::Garbage), "{error}");
}

#[test]
fn both_programs_have_to_be_there() {
    let folder = tempfile::tempdir().unwrap();
    assert!(Ffmpeg::find(None).is_none());
    assert!(Ffmpeg::find(Some(folder.path().as_os_str())).is_none());
    let fake = fake("true");
    fs::remove_file(fake.folder.path().join("ffprobe")).unwrap();
    assert!(Ffmpeg::find(Some(fake.folder.path().as_os_str())).is_none());
}

#[tokio::test]
async fn what_says_no_length_is_counted() {
    let json = |rate| {
        format!(r#"{{"streams":[{{"nb_read_packets":"20","avg_frame_rate":"{rate}"}}],"format":{{}}}}"#)
    };
    for (rate, length) in [
        ("10/1", 2000),
        ("30000/1001", 667),
        ("0/0", 0),
        ("x", 0),
        ("-1/1", 0),
    ] {
        let fake = fake("cat $HERE/out").with("out", json(rate).as_bytes());
        let probed = fake.ffmpeg.probe(&file(MimeType::Png)).await.unwrap();
        assert_eq!(probed.duration_ms, Positive::new(length), "{rate}");
    }
}

#[tokio::test]
async fn decoders_of_all_conversations_take_turns() {
    // Each says how many there are beside it, and stays a while.
    let script = "mkdir $HERE/run.$$; sleep 0.1; ls -d $HERE/run.* | wc -l >> $HERE/counts; rmdir $HERE/run.$$; cat $HERE/out";
    let fake = fake(script).with("out", &png(3, 2, b"x"));
    let input = file(MimeType::Gif);
    let posters = futures_util::future::join_all((0..8).map(|_| fake.ffmpeg.poster(&input)));
    assert!(posters.await.iter().all(Result::is_ok));
    let counts = fake.read("counts");
    let counts: Vec<usize> = counts
        .lines()
        .map(|count| count.trim().parse().unwrap())
        .collect();
    assert_eq!(counts.len(), 8);
    assert!(counts.iter().all(|count| *count <= DECODERS), "{counts:?}");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_decoder_has_a_bound_on_its_memory() {
    // The bound comes just after the start.
    let script = "until [ \"$(ulimit -v)\" = 1048576 ]; do :; done; cat $HERE/out";
    let fake = fake(script).with("out", &png(3, 2, b"x"));
    fake.ffmpeg.poster(&file(MimeType::Gif)).await.unwrap();
}

#[tokio::test]
async fn more_bytes_than_a_timeline_may_have_end_it() {
    let big = png(3, 2, &vec![0; 20 * 1024 * 1024]);
    let fake = fake("while cat $HERE/out; do :; done").with("out", &big);
    let mut decoding = fake
        .ffmpeg
        .frames(&file(MimeType::Mp4), &Pace::new(12, None))
        .await
        .unwrap();
    let mut count = 0;
    while decoding.next().await.unwrap().is_some() {
        count += 1;
    }
    assert_eq!((count, decoding.is_full()), (4, true));
}
