/** Deletes everything Sidewire keeps about a person, after asking once more. */
import { useState } from "preact/hooks";
import { usePanel } from "../panel/context";
import { forgetDrafts } from "../panel/drafts";
import { t } from "../panel/i18n";
import { refusalText } from "../panel/refusals";
import { Section } from "./Section";

type Step =
  | { state: "idle" }
  | { state: "asking" }
  | { state: "deleting" }
  | { state: "done" }
  | { state: "refused"; text: string };

/** The deletion part. */
export function DeleteAll({ ready }: { ready: boolean }) {
  const { request, announce } = usePanel();
  const [step, setStep] = useState<Step>({ state: "idle" });
  const remove = async () => {
    setStep({ state: "deleting" });
    const answer = await request({ kind: "delete-everything" });
    if (!answer.ok) return setStep({ state: "refused", text: refusalText(answer) });
    await forgetDrafts();
    setStep({ state: "done" });
    announce(t("deleteAllDone"));
  };
  return (
    <Section title={t("deleteAll")}>
      <p>{t("deleteAllText")}</p>
      {step.state === "refused" && (
        <p class="field-error" role="alert">
          {step.text}
        </p>
      )}
      {step.state === "done" && <p class="field-ok">{t("deleteAllDone")}</p>}
      {!ready && <p class="hint">{t("needsConnection")}</p>}
      {step.state === "asking" ? (
        <fieldset class="button-row">
          <legend>{t("deleteAllSure")}</legend>
          <button type="button" class="button" onClick={() => setStep({ state: "idle" })}>
            {t("cancel")}
          </button>
          <button type="button" class="button danger" onClick={() => void remove()}>
            {t("deleteAllYes")}
          </button>
        </fieldset>
      ) : (
        <button
          type="button"
          class="button danger"
          disabled={!ready || step.state === "deleting"}
          onClick={() => setStep({ state: "asking" })}
        >
          {t("deleteAllButton")}
        </button>
      )}
    </Section>
  );
}
