/** page_find: which elements a role, a name or a text means. */
import { DEFAULTS } from "../frame-arguments";
import type { FrameDone } from "../messages";
import { numberArgument } from "./arguments";
import { ToolFault } from "./fault";
import type { Job, PageTool } from "./job";
import { candidateLine, candidateOf, located, locatorOf } from "./locate";
import { wanted } from "./target";

export const pageFind: PageTool = { target: "none", limit: 5000, run };

function run({ view, args, prefix }: Job): FrameDone {
  const locator = locatorOf(args);
  if (locator === null) throw new ToolFault("bad-arguments", "give a role, a name or a text to look for");
  const limit = numberArgument(args, "limit", DEFAULTS.found);
  const matches = located(view, locator);
  const candidates = matches.slice(0, limit).map((match) => candidateOf(match, prefix));
  const more = matches.length > limit ? [`and ${matches.length - limit} more`] : [];
  const lines = matches.length === 0 ? [`Nothing is ${wanted(locator)}.`] : [...candidates.map(candidateLine), ...more];
  return { ok: true, text: lines.join("\n"), data: { candidates, total: matches.length } };
}
