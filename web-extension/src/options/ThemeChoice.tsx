/** Light, dark, or what the browser says. */
import { useEffect, useState } from "preact/hooks";
import { type MessageKey, t } from "../panel/i18n";
import { readTheme, THEMES, type Theme, writeTheme } from "../panel/theme";
import { Section } from "./Section";

const NAMES: Record<Theme, MessageKey> = { system: "themeSystem", light: "themeLight", dark: "themeDark" };

/** The theme part. */
export function ThemeChoice() {
  const [theme, setTheme] = useState<Theme>("system");
  useEffect(() => {
    readTheme().then(setTheme, () => undefined);
  }, []);
  const choose = (next: Theme) => {
    setTheme(next);
    writeTheme(next).catch(() => undefined);
  };
  return (
    <Section title={t("theme")}>
      <fieldset class="choices choices-row">
        <legend class="visually-hidden">{t("theme")}</legend>
        {THEMES.map((option) => (
          <label key={option} class="choice">
            <input type="radio" name="theme" checked={option === theme} onChange={() => choose(option)} />
            <span class="choice-name">{t(NAMES[option])}</span>
          </label>
        ))}
      </fieldset>
    </Section>
  );
}
