/** Marks found words in the document without changing it, where the browser can. */

const NAME = "find";
/** Enough to fill any screen; marking more would only cost time. */
const MOST = 500;

/** Marks every place below `root` that holds `query`; an empty query removes all marks. */
export function markMatches(root: HTMLElement | null, query: string): void {
  if (!("highlights" in CSS)) return;
  CSS.highlights.delete(NAME);
  const words = query.trim().toLowerCase();
  if (root === null || words === "") return;
  const ranges = rangesOf(root, words);
  if (ranges.length > 0) CSS.highlights.set(NAME, new Highlight(...ranges));
}

function rangesOf(root: HTMLElement, words: string): Range[] {
  const ranges: Range[] = [];
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node !== null && ranges.length < MOST; node = texts.nextNode()) {
    const text = node.textContent?.toLowerCase() ?? "";
    for (let at = text.indexOf(words); at >= 0 && ranges.length < MOST; at = text.indexOf(words, at + words.length)) {
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + words.length);
      ranges.push(range);
    }
  }
  return ranges;
}
