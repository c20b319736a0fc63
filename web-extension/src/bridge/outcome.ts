/** What becomes of a panel's request. */
import type { RefusalCode, ReplyBody } from "./panel-port";

/** The answer to a panel's request. */
export type Outcome = { ok: true; body: ReplyBody } | { ok: false; code: RefusalCode; message: string };
