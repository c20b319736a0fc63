//! Requests about conversations, as a panel makes them.

use sidewire_contract::bridge::conversations::{
    ConversationBranch, ConversationDelete, ConversationGet, ConversationList, ConversationPage,
    ConversationRename, ConversationRestore, ConversationSearch, ConversationTranscript, DataDelete,
    RequestErrorCode,
};
use sidewire_contract::chat::ChatRequest;
use sidewire_contract::frames::{ClientFrame, WorkerFrame};
use sidewire_contract::ids::{ChatId, ConversationId, Cursor, RequestId};
use sidewire_contract::text::Text;

use crate::{Peer, play, question};

/// A request id of this text.
///
/// # Panics
/// When it is none.
#[must_use]
pub fn id(text: &str) -> RequestId {
    RequestId::new(text).unwrap()
}

/// A question in a conversation of this name.
#[must_use]
pub fn named(name: &str, id: &str, text: &str) -> ChatRequest {
    ChatRequest {
        history_hint: Some(name.to_owned()),
        ..question(id, text)
    }
}

/// Asks in a conversation of this name; gives its id.
///
/// # Panics
/// When the turn fails.
pub async fn ask(peer: &mut impl Peer, name: &str, id: &str, text: &str) -> ConversationId {
    let turn = play(peer, named(name, id, text)).await;
    assert_eq!(turn.error, None);
    turn.accepted.expect("an accepted turn").conversation
}

/// A page of the list.
pub async fn list(peer: &mut impl Peer, cursor: Option<Cursor>) -> ConversationPage {
    page(
        peer.call(ClientFrame::ConversationList(ConversationList {
            request_id: id("list"),
            cursor,
        }))
        .await,
    )
}

/// The conversations that hold these words.
///
/// # Panics
/// When the words are too many.
pub async fn search(peer: &mut impl Peer, words: &str) -> Vec<ConversationId> {
    let query = Text::new(words).unwrap();
    let search = ConversationSearch {
        request_id: id("search"),
        query,
        cursor: None,
    };
    let found = page(peer.call(ClientFrame::ConversationSearch(search)).await);
    found.items.into_iter().map(|item| item.id).collect()
}

fn page(frame: WorkerFrame) -> ConversationPage {
    match frame {
        WorkerFrame::ConversationPage(page) => page,
        other => panic!("no page: {other:?}"),
    }
}

/// Asks for the turns before a cursor.
#[must_use]
pub fn get(conversation: &ConversationId, before: Option<Cursor>) -> ClientFrame {
    let conversation = conversation.clone();
    ClientFrame::ConversationGet(ConversationGet {
        request_id: id("get"),
        conversation,
        before,
    })
}

/// Gives a conversation a title.
///
/// # Panics
/// When the title is too long.
#[must_use]
pub fn rename(conversation: &ConversationId, title: &str) -> ClientFrame {
    let (conversation, title) = (conversation.clone(), Text::new(title).unwrap());
    ClientFrame::ConversationRename(ConversationRename {
        request_id: id("rename"),
        conversation,
        title,
    })
}

/// Deletes a conversation.
#[must_use]
pub fn delete(conversation: &ConversationId) -> ClientFrame {
    let conversation = conversation.clone();
    ClientFrame::ConversationDelete(ConversationDelete {
        request_id: id("delete"),
        conversation,
    })
}

/// Brings a conversation back.
#[must_use]
pub fn restore(conversation: &ConversationId) -> ClientFrame {
    let conversation = conversation.clone();
    ClientFrame::ConversationRestore(ConversationRestore {
        request_id: id("restore"),
        conversation,
    })
}

/// Begins a copy with the turns before one.
///
/// # Panics
/// When that is no name of a turn.
#[must_use]
pub fn branch(conversation: &ConversationId, before: &str) -> ClientFrame {
    let (conversation, before) = (conversation.clone(), ChatId::new(before).unwrap());
    ClientFrame::ConversationBranch(ConversationBranch {
        request_id: id("branch"),
        conversation,
        before,
    })
}

/// Deletes everything of a client.
#[must_use]
pub fn delete_everything() -> ClientFrame {
    ClientFrame::DataDelete(DataDelete {
        request_id: id("everything"),
    })
}

/// The turns that were asked for.
///
/// # Panics
/// When something else came.
#[must_use]
pub fn transcript(frame: WorkerFrame) -> ConversationTranscript {
    match frame {
        WorkerFrame::ConversationTranscript(transcript) => *transcript,
        other => panic!("no transcript: {other:?}"),
    }
}

/// Why a request was refused; none when it was carried out.
///
/// # Panics
/// When the frame answers no request of that kind.
#[must_use]
pub fn refusal(frame: &WorkerFrame) -> Option<RequestErrorCode> {
    match frame {
        WorkerFrame::RequestError(error) => Some(error.code),
        WorkerFrame::RequestDone(_) => None,
        other => panic!("no answer to a request: {other:?}"),
    }
}
