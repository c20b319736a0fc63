/** All tools of a frame, by name. */
import { pageClick } from "./click";
import { pageFill } from "./fill";
import { pageFind } from "./find";
import type { PageTools } from "./job";
import { pagePress } from "./press-key";
import { pageScroll } from "./scroll";
import { pageSelect } from "./select";
import { annotate, highlight } from "./show";
import { pageSnapshot } from "./snapshot";
import { pageText } from "./text";
import { waitFor } from "./wait";

export const pageTools: PageTools = {
  page_snapshot: pageSnapshot,
  page_text: pageText,
  page_find: pageFind,
  wait_for: waitFor,
  page_click: pageClick,
  page_fill: pageFill,
  page_select: pageSelect,
  page_press: pagePress,
  page_scroll: pageScroll,
  highlight,
  annotate,
};
