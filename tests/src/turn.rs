//! Plays turns and holds every one of them to the rules of the contract.

use std::collections::BTreeMap;

use sidewire_contract::bridge::turns::{ToolActivity, TurnAccepted, TurnReport};
use sidewire_contract::chat::{ChatRequest, ChatToolNotice};
use sidewire_contract::frames::{ClientFrame, WorkerFrame};
use sidewire_contract::ids::ChatId;
use sidewire_contract::media::Media;
use sidewire_contract::reason::ErrorReason;
use sidewire_contract::turn::{NoticeCode, Reference, TurnState};

use crate::{Peer, until_quiet};

/// A turn as its client saw it.
#[derive(Debug, Default)]
pub struct Turn {
    /// How it began.
    pub accepted: Option<TurnAccepted>,
    /// The text, put together.
    pub text: String,
    /// How many deltas there were.
    pub deltas: u64,
    /// What the person was told beside it.
    pub notices: Vec<NoticeCode>,
    /// How many signs of life there were.
    pub keepalives: u32,
    /// What every client is told of its tools.
    pub tool_notices: Vec<ChatToolNotice>,
    /// What our own client is told of them.
    pub activities: Vec<ToolActivity>,
    /// What it shows.
    pub media: Vec<Media>,
    /// The types of all its frames, in order.
    pub frames: Vec<&'static str>,
    /// What it took.
    pub report: Option<TurnReport>,
    /// The links of its end.
    pub references: Vec<Reference>,
    /// Why it failed; none when it was done.
    pub error: Option<ErrorReason>,
    ended: bool,
}

impl Turn {
    /// The text of a turn that went well.
    ///
    /// # Panics
    /// When it failed.
    pub fn done(self) -> String {
        assert_eq!(self.error, None, "the turn failed: {self:?}");
        self.text
    }

    /// Whether it has ended.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// Takes a frame of this turn, which must be one that may come now.
    ///
    /// # Panics
    /// When the frame breaks a rule of the contract.
    pub fn take(&mut self, frame: WorkerFrame) {
        assert!(!self.ended, "nothing may follow the end of a turn: {frame:?}");
        self.frames.push(frame.frame_type());
        match frame {
            WorkerFrame::TurnAccepted(accepted) => {
                assert!(
                    self.accepted.is_none() && self.deltas == 0,
                    "turn_accepted comes first"
                );
                self.accepted = Some(accepted);
            }
            WorkerFrame::ChatDelta(delta) => {
                let seq = delta.seq.as_i64().and_then(|seq| u64::try_from(seq).ok());
                assert_eq!(seq, Some(self.deltas), "deltas are numbered from 0 without gaps");
                self.deltas += 1;
                self.text.push_str(&delta.delta);
            }
            WorkerFrame::TurnSnapshot(snapshot) => {
                // It replaces what was known of the turn.
                self.deltas = snapshot.next_seq.get();
                self.text = snapshot.turn.text;
                self.notices = snapshot.turn.notices;
                self.references = snapshot.turn.references;
                self.error = snapshot.turn.reason;
                self.ended = snapshot.turn.state != TurnState::Running;
            }
            WorkerFrame::TurnNotice(notice) => self.notices.push(notice.code),
            WorkerFrame::ChatKeepalive(_) => self.keepalives += 1,
            WorkerFrame::ChatToolNotice(notice) => self.tool_notices.push(notice),
            WorkerFrame::ToolActivity(activity) => self.activities.push(activity),
            WorkerFrame::ChatMedia(media) => self.media.push(media.media),
            WorkerFrame::TurnReport(report) => assert!(self.report.replace(report).is_none(), "one report"),
            WorkerFrame::ChatDone(done) => {
                assert!(self.report.is_some(), "turn_report comes before the end");
                self.references = done.references.unwrap_or_default();
                self.ended = true;
            }
            WorkerFrame::ChatError(error) => {
                assert!(
                    self.accepted.is_none() || self.report.is_some(),
                    "turn_report comes before the end"
                );
                self.error = Some(error.reason);
                self.ended = true;
            }
            other => panic!("not a frame of a turn: {other:?}"),
        }
    }
}

/// Asks, follows the turn to its end, and makes sure that nothing follows.
pub async fn play(peer: &mut impl Peer, request: ChatRequest) -> Turn {
    let id = request.id.clone();
    peer.send(ClientFrame::ChatRequest(Box::new(request))).await;
    let mut turns = play_all(peer, [id.clone()]).await;
    let turn = turns.remove(&id).expect("it was asked for");
    for frame in until_quiet(peer).await {
        assert!(
            turn_of(&frame) != Some(&id),
            "nothing may follow the end of a turn: {frame:?}"
        );
    }
    turn
}

/// Follows turns that were asked for to the end of each.
///
/// # Panics
/// When a frame of no such turn comes.
pub async fn play_all(peer: &mut impl Peer, ids: impl IntoIterator<Item = ChatId>) -> BTreeMap<ChatId, Turn> {
    let mut turns: BTreeMap<ChatId, Turn> = ids.into_iter().map(|id| (id, Turn::default())).collect();
    while !turns.values().all(Turn::has_ended) {
        let frame = peer.receive().await;
        if matches!(frame, WorkerFrame::ModelChanged(_)) {
            // Told whenever the configuration changes, between the frames of any turn.
            continue;
        }
        let turn = turn_of(&frame).and_then(|id| turns.get_mut(&id.clone()));
        turn.unwrap_or_else(|| panic!("not a frame of these turns: {frame:?}"))
            .take(frame);
    }
    turns
}

/// The turn a frame belongs to.
fn turn_of(frame: &WorkerFrame) -> Option<&ChatId> {
    match frame {
        WorkerFrame::TurnAccepted(accepted) => Some(&accepted.id),
        WorkerFrame::ChatDelta(delta) => Some(&delta.id),
        WorkerFrame::TurnNotice(notice) => Some(&notice.id),
        WorkerFrame::ChatKeepalive(keepalive) => Some(&keepalive.id),
        WorkerFrame::ChatToolNotice(notice) => Some(&notice.id),
        WorkerFrame::ToolActivity(activity) => Some(&activity.chat_id),
        WorkerFrame::ChatMedia(media) => Some(&media.id),
        WorkerFrame::TurnReport(report) => Some(&report.id),
        WorkerFrame::ChatDone(done) => Some(&done.id),
        WorkerFrame::ChatError(error) => Some(&error.id),
        WorkerFrame::TurnSnapshot(snapshot) => Some(&snapshot.turn.id),
        _ => None,
    }
}
