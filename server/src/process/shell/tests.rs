use std::sync::Arc;

use super::*;

/// Without ourselves in between, which only the whole program can be (`tests/it/confined.rs`).
fn launcher() -> Launcher {
    Launcher {
        program: None,
        file: None,
        bounds: Bounds::default(),
        caches: Vec::new(),
        protected: Vec::new(),
    }
}

fn until(limit: Duration) -> Until {
    Until {
        limit: Some(limit),
        cancel: CancellationToken::new(),
    }
}

/// A folder, and its name without links.
fn folder() -> (tempfile::TempDir, PathBuf) {
    let place = tempfile::tempdir().unwrap();
    let real = place.path().canonicalize().unwrap();
    (place, real)
}

const LONG: Duration = Duration::from_secs(60);

async fn run(command: &str, until: Until) -> (ShellExit, String) {
    reaching(command, Reach::Workspace, until).await
}

async fn reaching(command: &str, reach: Reach, until: Until) -> (ShellExit, String) {
    let (_place, folder) = folder();
    let log = Log::default();
    let running = launcher().start(command, &folder, reach).unwrap();
    let exit = running.follow(until, &log).await;
    let text = log.lock().text();
    (exit, text)
}

fn lives(pid: &str) -> bool {
    let pid = Pid::from_raw(pid.trim().parse().unwrap()).unwrap();
    rustix::process::test_kill_process(pid).is_ok()
        && !std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero()))
            .is_ok_and(|stat| stat.contains(") Z "))
}

async fn gone(pid: &str) {
    let waiting = async {
        while lives(pid) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    assert!(timeout(LONG, waiting).await.is_ok(), "{pid} lives");
}

#[tokio::test]
async fn both_streams_come_in_their_order_with_the_exit_status() {
    let (exit, text) = run("echo one; echo two >&2; echo three; exit 7", until(LONG)).await;
    assert_eq!(exit, ShellExit::Code(7));
    assert_eq!(text, "one\ntwo\nthree\n");
    let (exit, text) = run(
        "printf '%s ' \"$SIDEWIRE\" \"$PAGER\"; read line || echo no input",
        until(LONG),
    )
    .await;
    assert_eq!((exit, text.as_str()), (ShellExit::Code(0), "1 cat no input\n"));
    assert_eq!(
        run("kill -TERM $$", until(LONG)).await.0,
        ShellExit::Signal("SIGTERM".to_owned())
    );
}

#[tokio::test]
async fn a_command_that_takes_too_long_is_killed_with_what_it_started() {
    let command = "sleep 1000 & echo $!; wait";
    // Long enough for the shell to get as far as that, also where everything takes long.
    for seconds in [1, 5, 25] {
        let (exit, text) = run(command, until(Duration::from_secs(seconds))).await;
        assert_eq!(exit, ShellExit::TimedOut);
        if !text.is_empty() {
            return gone(&text).await;
        }
    }
    panic!("it never began");
}

#[tokio::test]
async fn what_a_command_leaves_behind_is_gone_and_does_not_hold_it_up() {
    let began = Instant::now();
    let (exit, text) = run("sleep 1000 & echo $!", until(LONG)).await;
    assert_eq!(exit, ShellExit::Code(0));
    assert!(began.elapsed() < Duration::from_secs(30));
    gone(&text).await;
}

#[tokio::test]
async fn a_command_that_closes_its_output_is_still_waited_for() {
    let (exit, text) = run("echo out; exec >&- 2>&-; sleep 0.2; exit 3", until(LONG)).await;
    assert_eq!((exit, text.as_str()), (ShellExit::Code(3), "out\n"));
}

#[tokio::test]
async fn endless_output_takes_bounded_memory_and_can_be_stopped() {
    let (_place, folder) = folder();
    let log = Arc::new(Log::default());
    let until = until(LONG);
    let running = launcher().start("yes", &folder, Reach::Workspace).unwrap();
    let following = tokio::spawn({
        let (log, until) = (Arc::clone(&log), until.clone());
        async move { running.follow(until, &log).await }
    });
    log.grown(4 * 1024 * 1024).await;
    until.cancel.cancel();
    assert_eq!(following.await.unwrap(), ShellExit::Cancelled);
    let output = log.lock();
    assert!(output.text().len() < 300 * 1024 && output.missing() > 0);
}

#[tokio::test]
async fn dropping_a_command_ends_it() {
    let (_place, folder) = folder();
    let log = Log::default();
    let running = launcher()
        .start("echo $$; exec sleep 1000", &folder, Reach::Workspace)
        .unwrap();
    {
        let following = running.follow(until(LONG), &log);
        tokio::select! {
            _ = following => panic!("it ended"),
            () = log.grown(1) => {}
        }
    }
    let pid = log.lock().text();
    gone(&pid).await;
}

#[tokio::test]
async fn a_folder_that_is_gone_is_an_error() {
    let (_place, folder) = folder();
    let gone = folder.join("gone");
    assert!(launcher().start("true", &gone, Reach::Workspace).is_err());
}

fn confining() -> Launcher {
    Launcher {
        program: Some("/proc/self/exe".into()),
        file: Some("/bin/sidewire".into()),
        bounds: Bounds {
            write: vec!["/root-of-it".into(), "/tmp".into()],
            hide: vec!["/home/ann/.config/sidewire".into()],
            show: vec!["/root-of-it".into()],
        },
        caches: vec!["/home/ann/.npm".into(), "/elsewhere/cache".into()],
        protected: vec!["/elsewhere".into()],
    }
}

#[test]
fn a_family_is_told_what_it_may_do() {
    let told = |reach| {
        let launcher = confining();
        let words = launcher.between(Path::new("/proc/self/exe"), reach);
        let words = words.into_iter().map(|word| word.into_string().unwrap());
        words.collect::<Vec<_>>().join(" ")
    };
    let reading = "--hide /home/ann/.config/sidewire --show /root-of-it --";
    assert_eq!(
        told(Reach::Look),
        format!("/proc/self/exe confined --watch --write /home/ann/.npm {reading}")
    );
    assert_eq!(
        told(Reach::Workspace),
        format!("/proc/self/exe confined --watch --write /root-of-it --write /tmp {reading}")
    );
    assert_eq!(
        told(Reach::Everything),
        "/proc/self/exe confined --watch --anywhere --"
    );
}

#[test]
fn whoever_starts_a_command_elsewhere_confines_it_too() {
    let mut launcher = confining();
    let is_confined = launcher.confines();
    let told = |launcher: &Launcher, reach| launcher.elsewhere("echo 'a b'", Path::new("/"), reach);
    let bounds = |program: &Program| {
        let mut variables = program.variables.iter();
        let found = variables.find(|(name, _)| name == Bounds::VARIABLE);
        found.map(|(_, value)| Bounds::from_variable(value))
    };
    let elsewhere = told(&launcher, Reach::Workspace).unwrap();
    assert_eq!(
        bounds(&elsewhere),
        launcher.bounds(Reach::Workspace).filter(|_| is_confined)
    );
    let plain = [shell(), "-c", "echo 'a b'"];
    let line = [&["/bin/sidewire", "confined", "--"], &plain[..]].concat();
    let spoken = |program: Program| [vec![program.program], program.arguments].concat();
    let is_set = |program: &Program| {
        program
            .variables
            .contains(&("GIT_EDITOR".to_owned(), "true".to_owned()))
    };
    assert!(is_set(&elsewhere), "{elsewhere:?}");
    assert_eq!(spoken(elsewhere) == line, is_confined);
    let look = told(&launcher, Reach::Look).unwrap();
    assert_eq!(
        bounds(&look),
        launcher.bounds(Reach::Look).filter(|_| is_confined)
    );
    let free = told(&launcher, Reach::Everything).unwrap();
    assert!(bounds(&free).is_none() && is_set(&free));
    assert_eq!(spoken(free), plain);
    // Who does not know our file cannot start us, which does not mean that nothing confines.
    launcher.file = None;
    assert_eq!(told(&launcher, Reach::Workspace).is_none(), is_confined);
    launcher.program = None;
    assert_eq!(spoken(told(&launcher, Reach::Workspace).unwrap()), plain);
}

/// It would be started as it is, and confine nothing.
#[test]
fn a_program_that_a_command_could_replace_is_started_by_nobody_else() {
    let mut launcher = confining();
    let is_confined = launcher.confines();
    for file in ["/root-of-it/target/debug/sidewire", "/tmp/sidewire"] {
        launcher.file = Some(file.into());
        for reach in [Reach::Look, Reach::Workspace] {
            let words = launcher.elsewhere("make", Path::new("/"), reach);
            assert_eq!(words.is_none(), is_confined, "{file}: {words:?}");
        }
        let free = launcher.elsewhere("make", Path::new("/"), Reach::Everything);
        assert_eq!(free.unwrap().program, shell(), "it is not needed");
    }
}

#[tokio::test]
async fn nothing_is_started_in_a_folder_that_became_a_link() {
    let (_place, real) = folder();
    let (root, outside) = (real.join("root"), real.join("outside"));
    for folder in [&root, &outside] {
        std::fs::create_dir(folder).unwrap();
    }
    let launcher = launcher();
    let elsewhere = |folder: &Path| launcher.elsewhere("make", folder, Reach::Workspace);
    assert!(elsewhere(&root).is_some());
    std::fs::rename(&root, real.join("moved")).unwrap();
    std::os::unix::fs::symlink(&outside, &root).unwrap();
    for reach in [Reach::Look, Reach::Workspace, Reach::Everything] {
        let started = launcher.start("touch made", &root, reach);
        let error = started.err().map(|error| error.to_string());
        assert_eq!(error.as_deref(), Some("the folder is no longer where it was"));
    }
    assert_eq!(elsewhere(&root), None);
}

/// A command may kill the one in between; its group is ended all the same.
#[tokio::test]
async fn a_family_that_was_killed_leaves_nothing() {
    let (_place, folder) = folder();
    let script = folder.join("family");
    crate::process::test_program::write(
        &script,
        "#!/bin/sh\nexec setsid sh -c 'sleep 1000 & echo $!; kill -9 $$'\n",
    );
    let launcher = Launcher {
        program: Some(script),
        ..launcher()
    };
    let log = Log::default();
    let running = launcher.start("true", &folder, Reach::Workspace).unwrap();
    assert_eq!(
        running.follow(until(LONG), &log).await,
        ShellExit::Signal("SIGKILL".to_owned())
    );
    let pid = log.lock().text();
    gone(&pid).await;
}

/// A folder that has what a bare repository has is no place where git is told what to run.
#[tokio::test]
async fn git_obeys_no_folder_that_poses_as_a_repository() {
    let plant = "mkdir -p sub/objects sub/refs; echo ref: refs/heads/main > sub/HEAD; \
                 printf '[core]\\nrepositoryformatversion = 0\\nbare = false\\nworktree = ..\\nfsmonitor = \"touch pwned; false\"\\n' > sub/config";
    let looks =
        "(cd sub; git status) 2>&1; git -C sub diff 2>&1; find . -name pwned | grep . && exit 9; true";
    let (exit, said) = reaching(&format!("{plant}; {looks}"), Reach::Look, until(LONG)).await;
    assert_eq!(exit, ShellExit::Code(0), "{said}");
}

/// Only for looks, and behind what the person set the same way.
#[test]
fn looks_have_settings_for_git_that_replace_no_others() {
    let names = |reach| {
        let named: Vec<_> = environment(reach)
            .filter(|(name, _)| name.starts_with("GIT_CONFIG_"))
            .collect();
        let found: std::collections::BTreeMap<_, _> = named.iter().cloned().collect();
        assert_eq!(found.len(), named.len(), "each once: {named:?}");
        found
    };
    assert!(names(Reach::Workspace).is_empty() && names(Reach::Everything).is_empty());
    let known: u32 = std::env::var("GIT_CONFIG_COUNT").map_or(0, |count| count.parse().unwrap());
    let looks = names(Reach::Look);
    assert_eq!(looks["GIT_CONFIG_COUNT"], (known + 2).to_string());
    assert_eq!(looks[&format!("GIT_CONFIG_KEY_{known}")], "safe.bareRepository");
    assert_eq!(looks[&format!("GIT_CONFIG_VALUE_{}", known + 1)], "false");
}

/// What `cd` and patterns mean is not for the environment to say.
#[tokio::test]
async fn words_mean_what_they_say() {
    let command = "set | grep -E '^(CDPATH|BASH_ENV|ENV|GLOBIGNORE)=.+' && exit 9; shopt dotglob extglob globstar | grep on; true";
    let (exit, said) = run(command, until(LONG)).await;
    assert_eq!((exit, said.as_str()), (ShellExit::Code(0), ""));
}
