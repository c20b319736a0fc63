/** page_text: the words a person can see on the page or in a part of it, in pages of bounded length. */
import { clip } from "../../shared/text";
import type { FrameDone } from "../messages";
import { numberArgument } from "./arguments";
import type { Job, PageTool } from "./job";
import { visibleText } from "./visible-text";

export const pageText: PageTool = { target: "maybe", limit: 6000, run };

const OFFSET = { min: 0, max: 10_000_000, otherwise: 0 };
const LIMIT = { min: 200, max: 20_000, otherwise: 8000 };

function run({ view, args, target }: Job): FrameDone {
  const offset = Math.floor(numberArgument(args, "offset", OFFSET));
  const limit = Math.floor(numberArgument(args, "limit", LIMIT));
  const whole = visibleText(target ?? view.document.body);
  const text = clip(whole.slice(offset), limit);
  const end = offset + text.length;
  const rest = end < whole.length ? ` Go on with offset ${end}.` : "";
  const head = `Characters ${Math.min(offset, whole.length)} to ${end} of ${whole.length}.${rest}`;
  return { ok: true, text: `${head}\n${text}`, data: { text, offset, total: whole.length } };
}
