/** Takes the line that `sidewire pair` prints. */
import { useId, useState } from "preact/hooks";
import { usePanel } from "../context";
import { t } from "../i18n";
import { refusalText } from "../refusals";

type Progress = { state: "idle" } | { state: "pairing" } | { state: "paired" } | { state: "refused"; text: string };

/** The form to pair this browser with a worker. */
export function PairForm() {
  const { request, announce } = usePanel();
  const [code, setCode] = useState("");
  const [progress, setProgress] = useState<Progress>({ state: "idle" });
  const field = useId();
  const pair = async () => {
    setProgress({ state: "pairing" });
    const answer = await request({ kind: "pair", code: code.trim() });
    if (!answer.ok) return setProgress({ state: "refused", text: refusalText(answer) });
    setCode("");
    setProgress({ state: "paired" });
    announce(t("paired"));
  };
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        void pair();
      }}
    >
      <label class="field" for={field}>
        {t("pairCode")}
        <input
          id={field}
          type="text"
          autocomplete="off"
          spellcheck={false}
          value={code}
          onInput={(event) => setCode(event.currentTarget.value)}
        />
      </label>
      {progress.state === "refused" && (
        <p class="field-error" role="alert">
          {progress.text}
        </p>
      )}
      {progress.state === "paired" && <p class="field-ok">{t("paired")}</p>}
      <button type="submit" class="button" disabled={code.trim() === "" || progress.state === "pairing"}>
        {t("pair")}
      </button>
    </form>
  );
}
