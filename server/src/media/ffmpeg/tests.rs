use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::time::Instant;

use super::super::sniff::tests::{gif, png};
use super::*;

/// Programs that do as the script says. `$HERE` is their folder.
struct Fake {
    folder: tempfile::TempDir,
    ffmpeg: Ffmpeg,
}

fn fake(script: &str) -> Fake {
    let folder = tempfile::tempdir().unwrap();
    for name in ["ffmpeg", "ffprobe"] {
        let path = folder.path().join(name);
        let text = format!("#!/bin/sh\nHERE={}\n{script}\n", folder.path().display());
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let ffmpeg = Ffmpeg::find(Some(folder.path().as_os_str())).unwrap();
    Fake { folder, ffmpeg }
}

impl Fake {
    fn with(self, name: &str, bytes: &[u8]) -> Self {
        fs::write(self.folder.path().join(name), bytes).unwrap();
        self
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.folder.path().join(name)).unwrap()
    }
}

fn file(mime: MimeType) -> Input {
    Input {
        mime,
        place: InputPlace::File("/data/blob with space; rm -rf $HOME".into()),
    }
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
    let stills = fake.ffmpeg.frames(&file(MimeType::Mp4), 12).await.unwrap();
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
    assert_eq!(after("-vf"), "fps=12,scale='min(1920,iw)':-1");
    assert_eq!(after("-frames:v"), "720");
    assert_eq!(args.last(), Some(&"pipe:1"));
}

#[tokio::test]
async fn what_is_in_memory_goes_through_a_pipe() {
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
        let error = fake.ffmpeg.frames(&file(MimeType::Gif), 12).await.unwrap_err();
        assert!(matches!(error, FfmpegError::Garbage), "{error}");
    }
    let fake = fake("cat $HERE/out; exit 3").with("out", &good);
    let error = fake.ffmpeg.poster(&file(MimeType::Gif)).await.unwrap_err();
    assert!(matches!(error, FfmpegError::Failed), "{error}");
}

#[tokio::test]
async fn a_decoder_that_never_ends_is_killed_with_its_children() {
    let fake = fake("sleep 600 & echo $! > $HERE/child; cat $HERE/out; wait").with("out", &png(3, 2, b"x"));
    let began = Instant::now();
    let input = file(MimeType::Gif);
    let never = within(Duration::from_millis(500), fake.ffmpeg.stills(&input, "null", 1));
    assert!(matches!(never.await, Err(FfmpegError::TooSlow)));
    assert!(began.elapsed() < Duration::from_secs(60));
    let child: i32 = fake.read("child").trim().parse().unwrap();
    let pid = rustix::process::Pid::from_raw(child).unwrap();
    // The kernel ends it in its own time.
    while is_running(pid) {
        tokio::task::yield_now().await;
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

/// A GIF of two pixels in two colours.
const TWO_FRAMES: &[u8] = b"GIF89a\x02\x00\x01\x00\x80\x00\x00\xff\x00\x00\x00\x00\xff\
    !\xf9\x04\x00\x32\x00\x00\x00,\x00\x00\x00\x00\x02\x00\x01\x00\x00\x02\x02\x84\x0a\x00\
    !\xf9\x04\x00\x32\x00\x00\x00,\x00\x00\x00\x00\x02\x00\x01\x00\x00\x02\x02\x0c\x0a\x00;";

#[tokio::test]
async fn a_real_decoder_gives_real_stills() {
    let Some(ffmpeg) = Ffmpeg::find(std::env::var_os("PATH").as_deref()) else {
        println!("skipped: ffmpeg and ffprobe are not installed here");
        return;
    };
    let input = Input {
        mime: MimeType::Gif,
        place: InputPlace::Memory(Bytes::from_static(TWO_FRAMES)),
    };
    let stills = ffmpeg.frames(&input, 12).await.unwrap();
    assert!(!stills.is_empty());
    assert_eq!(ffmpeg.probe(&input).await.unwrap().width, Positive::new(2));
}
