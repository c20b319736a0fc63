/** Which values look like secrets wherever they stand. All patterns are linear: bounded repeats, no nesting. */

const HOST_NAME = /^(?:[a-z0-9_*-]+\.)+[a-z]{2,24}(?::\d{1,5})?$/i;
const PLAIN_VALUE = /^(?:https?:|\d{4}-\d\d-\d\d|v?\d+(?:[.:,/]\d+)+(?:[/%a-z]\w{0,4})?$|\d+(?:\.\d+)?[a-z%]{0,5}$)/i;
const TOKEN_CHARACTERS = /^[\w+/=.~:@!#$%^&*?|-]+$/;

/** True for a single token that a person would not type as a word: mixed classes, no host name, date or measure. */
export function isOpaque(value: string, least: number): boolean {
  if (value.length < least || !TOKEN_CHARACTERS.test(value)) return false;
  if (HOST_NAME.test(value) || PLAIN_VALUE.test(value)) return false;
  const digit = /\d/.test(value);
  const letter = /[a-z]/i.test(value);
  const mixedCase = /[a-z][A-Z]|[A-Z]{2}[a-z]/.test(value) || (/[A-Z]/.test(value.slice(1)) && /[a-z]/.test(value));
  return (digit && letter) || mixedCase || /[+=!#$%^&*~?|]/.test(value);
}

/** Known prefixes of issued keys, JSON Web Tokens and inline secrets of configuration APIs. */
const ISSUED = new RegExp(
  [
    "\\beyJ[\\w-]{5,}\\.[\\w-]{5,}(?:\\.[\\w-]*)?",
    "\\b(?:AKIA|ASIA|AGPA|AROA)[0-9A-Z]{12,}\\b",
    "\\bgh[oprsu]_[A-Za-z0-9]{20,}",
    "\\bgithub_pat_\\w{20,}",
    "\\bglpat-[\\w-]{16,}",
    "\\bxox[abeoprs]-[A-Za-z0-9-]{8,}",
    "\\b(?:sk|rk|pk)[-_][\\w-]{16,}",
    "\\bAIza[\\w-]{30,}",
    "\\bya29\\.[\\w-]{20,}",
    "\\bnpm_[A-Za-z0-9]{30,}",
    "\\bhf_[A-Za-z0-9]{20,}",
    "\\bSG\\.[\\w-]{16,}\\.[\\w-]{16,}",
    "\\bdop_v1_[a-f0-9]{32,}",
    "\\bstring:///[A-Za-z0-9+/=_-]{12,}",
    "\\bLS0tLS1CRUdJTi[A-Za-z0-9+/=]{16,}",
  ].join("|"),
  "g",
);
const SCHEME = /\b(bearer|basic|apitoken|token|digest|negotiate)(\s{1,3})([\w.~+/=-]{8,8192})/gi;
const COOKIE_HEADER = /\b((?:set-)?cookie:\s{0,3})[^\s;=]{1,64}=[^\s;]{1,4096}(?:;\s?[^\s;=]{1,64}=[^\s;]{1,4096})*/gi;
const USER_INFO = /\b([a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/@:]{0,128}:[^\s/@]{1,256}@/gi;
const PEM_BEGIN = /-----BEGIN [A-Z0-9 ]{1,40}-----/;
const PEM_END = /-----END [A-Z0-9 ]{1,40}-----/;

/** Replaces everything with the shape of a secret by `mark`. */
export function replaceShapes(text: string, mark: string): string {
  return replacePem(text, mark)
    .replace(ISSUED, mark)
    .replace(COOKIE_HEADER, (_, head: string) => head + mark)
    .replace(USER_INFO, (_, scheme: string) => `${scheme}${mark}@`)
    .replace(SCHEME, (whole: string, scheme: string, gap: string, value: string) =>
      isOpaque(value, 8) || value.length >= 24 ? `${scheme}${gap}${mark}` : whole,
    );
}

/** PEM blocks, also unfinished ones; scanned by index, because a lazy pattern over them would be quadratic. */
function replacePem(text: string, mark: string): string {
  let rest = text;
  let done = "";
  for (;;) {
    const begin = PEM_BEGIN.exec(rest);
    if (begin === null) return done + rest;
    const body = rest.slice(begin.index + begin[0].length);
    const end = PEM_END.exec(body);
    done += rest.slice(0, begin.index) + mark;
    if (end === null) return done;
    rest = body.slice(end.index + end[0].length);
  }
}
