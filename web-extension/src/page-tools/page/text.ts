/** page_text: the words a person can see on the page or in a part of it, in pages of bounded length. */
import { clip } from "../../shared/text";
import { DEFAULTS } from "../frame-arguments";
import type { FrameDone } from "../messages";
import { numberArgument } from "./arguments";
import { hiddenWords } from "./hiding";
import type { Job, PageTool } from "./job";
import { visibleText } from "./visible-text";

export const pageText: PageTool = { target: "maybe", limit: 6000, run };

function run({ view, args, target }: Job): FrameDone {
  const offset = numberArgument(args, "offset", 0);
  const limit = numberArgument(args, "limit", DEFAULTS.limit);
  // What a label hides stays hidden where only what stands beside it is read.
  const whole = target === null ? visibleText(view.document.body) : visibleText(target, hiddenWords(target));
  const text = clip(whole.slice(offset), limit);
  const end = offset + text.length;
  const rest = end < whole.length ? ` Go on with offset ${end}.` : "";
  const head = `Characters ${Math.min(offset, whole.length)} to ${end} of ${whole.length}.${rest}`;
  return { ok: true, text: `${head}\n${text}`, data: { text, offset, total: whole.length } };
}
