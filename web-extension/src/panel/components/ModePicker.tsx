/** The five modes as a radio group, each with its meaning in one line. */
import type { Mode } from "../../contract/types";
import { type MessageKey, t } from "../i18n";
import { Choices } from "./Choices";
import { Icon } from "./Icon";
import { Popup } from "./Popup";

const MODES: readonly { mode: Mode; name: MessageKey; hint: MessageKey }[] = [
  { mode: "educational", name: "modeEducational", hint: "modeEducationalHint" },
  { mode: "presentation", name: "modePresentation", hint: "modePresentationHint" },
  { mode: "configuration", name: "modeConfiguration", hint: "modeConfigurationHint" },
  { mode: "screenshot", name: "modeScreenshot", hint: "modeScreenshotHint" },
  { mode: "annotation", name: "modeAnnotation", hint: "modeAnnotationHint" },
];

/** The mode button and its choices. */
export function ModePicker({ mode, choose }: { mode: Mode; choose: (mode: Mode) => void }) {
  const name = nameOf(mode);
  const button = (
    <>
      <span>{name}</span>
      <Icon name="chevron" />
    </>
  );
  return (
    <Popup button={button} label={t("modeButton", name)} class="chip-button" surface="dialog" placement="above-start">
      {(close) => (
        <Choices legend={t("modes")} done={close}>
          {MODES.map((choice) => (
            <label key={choice.mode} class="choice">
              <input type="radio" name="mode" checked={choice.mode === mode} onChange={() => choose(choice.mode)} />
              <span>
                <span class="choice-name">{t(choice.name)}</span>
                <span class="choice-hint">{t(choice.hint)}</span>
              </span>
            </label>
          ))}
        </Choices>
      )}
    </Popup>
  );
}

function nameOf(mode: Mode): string {
  const choice = MODES.find((other) => other.mode === mode);
  return choice === undefined ? mode : t(choice.name);
}
