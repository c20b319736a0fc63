/** The name under which a file is saved: harmless on every system, and ending as its contents demand. Pure. */
import type { MediaAsset } from "./descriptor";

const ENDINGS: Record<MediaAsset["mimeType"], readonly [string, ...string[]]> = {
  "image/png": ["png"],
  "image/jpeg": ["jpg", "jpeg"],
  "image/gif": ["gif"],
  "image/webp": ["webp"],
  "video/mp4": ["mp4", "m4v"],
  "text/plain": ["txt", "md", "log", "csv"],
};

const LONGEST_STEM = 80;
const UNNAMED = "sidewire";

/** Names that Windows keeps for devices, whatever ending they have. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)$/i;

/** Separators, what shells and file systems forbid, controls, and characters that hide or turn text. */
const FORBIDDEN = /[/\\:*?"<>|~%\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu;

/** The file name for a hint of the worker; a name is made when the hint leaves nothing. */
export function fileNameOf(hint: string | undefined, mimeType: MediaAsset["mimeType"]): string {
  const endings = ENDINGS[mimeType];
  const clean = (hint ?? "").toWellFormed().replaceAll(FORBIDDEN, "_").trim();
  const dot = clean.lastIndexOf(".");
  const ending = clean.slice(dot + 1).toLowerCase();
  const kept = dot > 0 && endings.includes(ending);
  return `${stemOf(kept ? clean.slice(0, dot) : clean)}.${kept ? ending : endings[0]}`;
}

/** A stem neither hides a file nor ends in what Windows cuts off. */
function stemOf(name: string): string {
  const stem = [...name.replace(/^[.\s]+/, "")]
    .slice(0, LONGEST_STEM)
    .join("")
    .replace(/[.\s]+$/, "");
  return stem === "" || DEVICE.test(stem.split(".")[0] ?? "") ? `${UNNAMED}${stem === "" ? "" : `-${stem}`}` : stem;
}
