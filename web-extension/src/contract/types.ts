/**
 * The contract's messages as types. They are made from the schema files; this file only groups them by direction.
 *
 * It decides nothing about validity: see `frames.ts` for the guards.
 */
export type * from "./frames.generated";

import type * as frame from "./frames.generated";

/** Everything a worker may send to a browser. */
export type WorkerFrame =
  | frame.Challenge
  | frame.HelloAck
  | frame.Ping
  | frame.Pong
  | frame.BridgeError
  | frame.TurnAccepted
  | frame.TurnSnapshot
  | frame.TurnUnknown
  | frame.TurnNotice
  | frame.TurnReport
  | frame.ChatDelta
  | frame.ChatDone
  | frame.ChatError
  | frame.ChatToolNotice
  | frame.ChatKeepalive
  | frame.ChatMedia
  | frame.ToolActivity
  | frame.SetHostToolsAck
  | frame.SetHostToolsError
  | frame.HostToolScope
  | frame.HostToolCall
  | frame.HostToolCancel
  | frame.MediaAssetChunk
  | frame.MediaAssetError
  | frame.ConversationPage
  | frame.ConversationTranscript
  | frame.ModelPage
  | frame.ModelChanged
  | frame.ProviderFound
  | frame.PairingPage
  | frame.RequestDone
  | frame.RequestError;

/** Everything a browser may send to a worker. */
export type BrowserFrame =
  | frame.Hello
  | frame.Proof
  | frame.ClientInfo
  | frame.Ping
  | frame.Pong
  | frame.Resume
  | frame.ChatRequest
  | frame.ChatStop
  | frame.SetHostTools
  | frame.HostToolUpdate
  | frame.HostToolResult
  | frame.MediaAssetRead
  | RequestFrame;

/** Frames that carry a `requestId` and get exactly one answer. */
export type RequestFrame =
  | frame.ConversationList
  | frame.ConversationSearch
  | frame.ConversationGet
  | frame.ConversationRename
  | frame.ConversationDelete
  | frame.ConversationRestore
  | frame.ConversationBranch
  | frame.DataDelete
  | frame.ModelList
  | frame.ModelSelect
  | frame.ProviderDetect
  | frame.ProviderSet
  | frame.PairingList
  | frame.PairingRevoke;

/** The answers to `RequestFrame`. */
export type AnswerFrame =
  | frame.ConversationPage
  | frame.ConversationTranscript
  | frame.ModelPage
  | frame.ProviderFound
  | frame.PairingPage
  | frame.RequestDone
  | frame.RequestError;
