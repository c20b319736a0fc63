/** The theme a person chose; "system" follows the browser. */

/** How the pages look. */
export type Theme = "system" | "light" | "dark";

/** All themes in the order they are offered. */
export const THEMES: readonly Theme[] = ["system", "light", "dark"];

const KEY = "theme";

/** The theme that was chosen, "system" if none was. */
export async function readTheme(): Promise<Theme> {
  const stored = await chrome.storage.local.get(KEY);
  return themeFrom(stored[KEY]);
}

/** Remembers a theme; every open page follows at once. */
export async function writeTheme(theme: Theme): Promise<void> {
  await chrome.storage.local.set({ [KEY]: theme });
}

/** Applies the chosen theme to this page, now and whenever it changes. */
export async function followTheme(signal: AbortSignal): Promise<void> {
  const follow = (changes: Record<string, chrome.storage.StorageChange>, area: string) => {
    const change = changes[KEY];
    if (area === "local" && change !== undefined) apply(themeFrom(change.newValue));
  };
  chrome.storage.onChanged.addListener(follow);
  signal.addEventListener("abort", () => chrome.storage.onChanged.removeListener(follow));
  apply(await readTheme());
}

function apply(theme: Theme): void {
  document.documentElement.dataset["theme"] = theme;
}

function themeFrom(value: unknown): Theme {
  return value === "light" || value === "dark" ? value : "system";
}
