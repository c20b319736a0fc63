/** Syntax colours for the languages that answers about web consoles really hold. Unknown languages stay plain. */
import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import dockerfile from "highlight.js/lib/languages/dockerfile";
import go from "highlight.js/lib/languages/go";
import http from "highlight.js/lib/languages/http";
import ini from "highlight.js/lib/languages/ini";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import nginx from "highlight.js/lib/languages/nginx";
import python from "highlight.js/lib/languages/python";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import { sanitiseHighlights } from "./sanitise";

const LANGUAGES = {
  bash,
  css,
  diff,
  dockerfile,
  go,
  http,
  ini,
  java,
  javascript,
  json,
  nginx,
  python,
  rust,
  sql,
  typescript,
  xml,
  yaml,
};

for (const [name, definition] of Object.entries(LANGUAGES)) hljs.registerLanguage(name, definition);

/** Longer blocks are shown plain: colouring them would cost more than a frame. */
const LONGEST = 32_768;

/** Coloured nodes for a piece of code, or null when it should stay plain. */
export function highlight(code: string, language: string): DocumentFragment | null {
  if (code.length > LONGEST || hljs.getLanguage(language) === undefined) return null;
  return sanitiseHighlights(hljs.highlight(code, { language, ignoreIllegals: true }).value);
}
