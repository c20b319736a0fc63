/** The model chip: says which model answers, and lets another be chosen. */
import { useEffect, useState } from "preact/hooks";
import type { ModelItem, ModelState } from "../../contract/types";
import { usePanel } from "../context";
import { t } from "../i18n";
import { bodyOf } from "../port";
import { visibleText } from "../visible-text";
import { Choices } from "./Choices";
import { Icon } from "./Icon";
import { Popup } from "./Popup";

/** The chip and the list behind it. */
export function ModelPicker({ model, openSetUp }: { model: ModelState; openSetUp: () => void }) {
  const name = model.offline ? t("modelOffline") : visibleText(model.label);
  const button = (
    <>
      <span class={model.offline ? "model-dot offline" : "model-dot"} aria-hidden="true" />
      <span class="model-name">{name}</span>
      <Icon name="chevron" />
    </>
  );
  return (
    <Popup button={button} label={t("modelButton", name)} class="chip-button" surface="dialog" placement="below-end">
      {(close) => (
        <>
          {model.offline && <p class="hint popup-text">{t("modelOfflineMeaning")}</p>}
          <Models model={model} close={close} />
          <button
            type="button"
            class="menu-item"
            onClick={() => {
              close();
              openSetUp();
            }}
          >
            <Icon name="settings" />
            {t("openModelSetUp")}
          </button>
        </>
      )}
    </Popup>
  );
}

function Models({ model, close }: { model: ModelState; close: () => void }) {
  const { request } = usePanel();
  const [models, setModels] = useState<ModelItem[] | "asking" | "failed">("asking");
  useEffect(() => {
    request({ kind: "models" }).then(
      (answer) => setModels(bodyOf(answer, "models")?.models ?? "failed"),
      () => setModels("failed"),
    );
  }, [request]);
  if (models === "asking") return <p class="hint popup-text">{t("loading")}</p>;
  if (models === "failed") return <p class="hint popup-text">{t("modelsFailed")}</p>;
  const choose = async (id: string) => {
    const answer = await request({ kind: "select-model", model: id });
    if (!answer.ok) setModels("failed");
  };
  return (
    <Choices legend={t("models")} done={close}>
      {models.map((item) => (
        <label key={item.id} class="choice">
          <input
            type="radio"
            name="model"
            checked={item.id === model.model && item.provider === model.provider}
            onChange={() => void choose(item.id)}
          />
          <span class="choice-name">{visibleText(item.label)}</span>
        </label>
      ))}
    </Choices>
  );
}
