//! The last check before a frame leaves: a browser's port dies of one byte too many, so what does not fit is said
//! shorter, and what cannot be said shorter becomes an error that ends the waiting.

use sidewire_contract::bridge::conversations::{RequestError, RequestErrorCode};
use sidewire_contract::bridge::turns::TurnUnknown;
use sidewire_contract::chat::ChatDone;
use sidewire_contract::frames::WorkerFrame;
use sidewire_contract::ids::RequestId;
use sidewire_contract::limits;

/// The frame as text, at most [`limits::BROWSER_FRAME`] bytes; `None` for one that nobody waits for.
pub(super) fn encode(frame: WorkerFrame) -> Option<String> {
    let text = frame.encode();
    if text.len() <= limits::BROWSER_FRAME {
        return Some(text);
    }
    tracing::warn!(
        kind = frame.frame_type(),
        bytes = text.len(),
        "a frame does not fit"
    );
    shorter(frame).map(|frame| frame.encode())
}

fn shorter(frame: WorkerFrame) -> Option<WorkerFrame> {
    match frame {
        WorkerFrame::ChatDone(done) => Some(WorkerFrame::ChatDone(ChatDone {
            id: done.id,
            references: None,
        })),
        WorkerFrame::TurnSnapshot(snapshot) => {
            Some(WorkerFrame::TurnUnknown(TurnUnknown { id: snapshot.turn.id }))
        }
        WorkerFrame::ConversationTranscript(transcript) => Some(too_large(transcript.request_id)),
        WorkerFrame::ConversationPage(page) => Some(too_large(page.request_id)),
        WorkerFrame::ModelPage(page) => Some(too_large(page.request_id)),
        WorkerFrame::ProviderFound(found) => Some(too_large(found.request_id)),
        WorkerFrame::PairingPage(page) => Some(too_large(page.request_id)),
        _ => None,
    }
}

fn too_large(request_id: RequestId) -> WorkerFrame {
    WorkerFrame::RequestError(RequestError {
        request_id,
        code: RequestErrorCode::TooLarge,
        message: "the answer does not fit one message".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use sidewire_contract::turn::Reference;

    use super::*;

    #[test]
    fn a_terminal_frame_always_leaves() {
        let reference = |len| Reference {
            kind: "doc".into(),
            title: "t".repeat(len),
            url: "https://a.example".into(),
        };
        let done = |len| {
            WorkerFrame::ChatDone(ChatDone {
                id: "c-1".parse().unwrap(),
                references: Some(vec![reference(len)]),
            })
        };
        let room = limits::BROWSER_FRAME - done(0).encode().len();
        assert_eq!(
            encode(done(room)),
            Some(done(room).encode()),
            "exactly at the limit"
        );
        assert_eq!(
            encode(done(room + 1)).as_deref(),
            Some(r#"{"type":"chat_done","id":"c-1"}"#)
        );
    }
}
