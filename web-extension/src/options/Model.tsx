/** Which model answers, and how to connect another. */
import { useState } from "preact/hooks";
import type { Link } from "../bridge/panel-port";
import { ModelSetup } from "../panel/components/ModelSetup";
import { usePanel } from "../panel/context";
import { t } from "../panel/i18n";
import { refusalText } from "../panel/refusals";
import { visibleText } from "../panel/visible-text";
import { Section } from "./Section";

/** The model part. */
export function Model({ link }: { link: Link }) {
  return (
    <Section title={t("optionsModel")}>
      {link.state === "ready" ? <Current link={link} /> : <p class="hint">{t("needsConnection")}</p>}
    </Section>
  );
}

function Current({ link: { model } }: { link: Extract<Link, { state: "ready" }> }) {
  const { request, announce } = usePanel();
  const [problem, setProblem] = useState("");
  const goOffline = async () => {
    const answer = await request({ kind: "set-provider", provider: "offline" });
    setProblem(answer.ok ? "" : refusalText(answer));
    if (answer.ok) announce(t("modelSaved"));
  };
  return (
    <>
      <p>{model.offline ? t("modelOfflineMeaning") : t("modelCurrent", visibleText(model.label))}</p>
      <ModelSetup done={() => setProblem("")} />
      {!model.offline && (
        <button type="button" class="button" onClick={() => void goOffline()}>
          {t("modelGoOffline")}
        </button>
      )}
      {problem !== "" && (
        <p class="field-error" role="alert">
          {problem}
        </p>
      )}
    </>
  );
}
