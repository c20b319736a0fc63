/** A command line to run in a terminal, with a copy button. */
import { t } from "../i18n";
import { CopyButton } from "./CopyButton";

/** Shows a command that fixes something. */
export function Command({ line }: { line: string }) {
  return (
    <div class="command">
      <code>{line}</code>
      <CopyButton text={line} label={t("copyCommand")} />
    </div>
  );
}
