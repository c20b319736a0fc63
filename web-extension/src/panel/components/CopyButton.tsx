/** Copies a text and says so for a moment. */
import { usePanel } from "../context";
import { useFlash } from "../hooks";
import { t } from "../i18n";
import { Icon } from "./Icon";

const SHOWN_MS = 1600;

/** A copy button; `label` names what is copied. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const { announce } = usePanel();
  const [copied, show] = useFlash(SHOWN_MS);
  const copy = async () => {
    if (!(await copyText(text))) return;
    show();
    announce(t("copied"));
  };
  return (
    <button type="button" class="icon-button" title={label} aria-label={label} onClick={() => void copy()}>
      <Icon name={copied ? "check" : "copy"} />
    </button>
  );
}

/** Puts a text on the clipboard; false when the browser does not allow it. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
