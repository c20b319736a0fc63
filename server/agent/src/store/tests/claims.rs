use super::*;
use crate::store::ClaimError;

fn holder(claim: Result<crate::store::Claim, ClaimError>) -> String {
    match claim {
        Err(ClaimError::Held { holder }) => holder,
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("claimed twice"),
    }
}

#[test]
fn in_memory_a_conversation_is_claimed_once() {
    let store = memory();
    let (one, two) = (ConversationId::mint(), ConversationId::mint());
    let claim = store.claim(one).unwrap();
    assert_eq!(holder(store.clone().claim(one)), "this process");
    drop(store.claim(two).unwrap());
    drop(claim);
    drop(store.claim(one).unwrap());
}

#[test]
fn across_processes_the_second_one_learns_who_holds_it() {
    let folder = tempfile::tempdir().unwrap();
    let serve = Store::open(folder.path(), "sidewire serve").unwrap();
    let acp = Store::open(folder.path(), "sidewire acp").unwrap();
    let id = ConversationId::mint();
    let claim = serve.claim(id).unwrap();
    let me = format!("sidewire serve (process {})", std::process::id());
    assert_eq!(holder(acp.claim(id)), me);
    assert_eq!(holder(serve.claim(id)), me);
    assert_eq!(acp.holder(id).unwrap(), Some(me));
    assert_eq!(acp.holder(ConversationId::mint()).unwrap(), None);
    drop(claim);
    assert_eq!(acp.holder(id).unwrap(), None);
    let claim = acp.claim(id).unwrap();
    assert!(holder(serve.claim(id)).starts_with("sidewire acp"));
    drop(claim);
    assert_eq!(
        std::fs::read_dir(folder.path().join("claims")).unwrap().count(),
        0,
        "nothing is left behind"
    );
}

#[test]
fn a_lock_file_of_a_dead_process_holds_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path(), "sidewire serve").unwrap();
    let id = ConversationId::mint();
    let file = folder.path().join("claims").join(format!("{id}.lock"));
    std::fs::write(&file, "a very long name of a program that was killed (process 1)").unwrap();
    assert_eq!(store.holder(id).unwrap(), None);
    let claim = store.claim(id).unwrap();
    let holder = holder(store.claim(id));
    assert_eq!(holder, format!("sidewire serve (process {})", std::process::id()));
    drop(claim);
}

#[test]
fn whoever_only_looks_keeps_nobody_from_claiming() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path(), "sidewire serve").unwrap();
    let id = ConversationId::mint();
    let path = folder.path().join("claims").join(format!("{id}.lock"));
    std::fs::write(&path, "a program that was killed (process 1)").unwrap();
    let looking = std::fs::File::open(&path).unwrap();
    looking.lock_shared().unwrap();
    let file = crate::store::folder::lock_file(&path).unwrap();
    let tried = crate::store::claims::lock(file, &path, "me").unwrap();
    assert!(tried.is_none(), "it is to try again");
    drop(looking);
    drop(store.claim(id).unwrap());
}

#[cfg(unix)]
#[test]
fn a_lock_on_a_removed_file_is_no_claim() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path(), "sidewire serve").unwrap();
    let id = ConversationId::mint();
    let path = folder.path().join("claims").join(format!("{id}.lock"));
    let first = store.claim(id).unwrap();
    let opened_early = crate::store::folder::lock_file(&path).unwrap();
    drop(first);
    let second = store.claim(id).unwrap();
    let late = crate::store::claims::lock(opened_early, &path, "late").unwrap();
    assert!(
        late.is_none(),
        "it would share the conversation with the second one"
    );
    drop(second);
}

#[test]
fn many_threads_never_hold_one_conversation_together() {
    let folder = tempfile::tempdir().unwrap();
    let id = ConversationId::mint();
    let holders = std::sync::atomic::AtomicU32::new(0);
    std::thread::scope(|scope| {
        for name in ["a", "b", "c", "d"] {
            let store = Store::open(folder.path(), name).unwrap();
            let holders = &holders;
            scope.spawn(move || {
                for _ in 0..500 {
                    let Ok(claim) = store.claim(id) else { continue };
                    assert_eq!(holders.fetch_add(1, std::sync::atomic::Ordering::SeqCst), 0);
                    holders.fetch_sub(1, std::sync::atomic::Ordering::SeqCst);
                    drop(claim);
                }
            });
        }
    });
}
