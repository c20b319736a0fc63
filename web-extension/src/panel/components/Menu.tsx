/** The header's menu: arrow keys move, Enter chooses. */
import { t } from "../i18n";
import { Icon, type IconName } from "./Icon";
import { Popup } from "./Popup";

/** One entry of a menu. */
export interface MenuEntry {
  icon: IconName;
  label: string;
  run: () => void;
}

/** A menu button with its entries. */
export function Menu({ entries }: { entries: MenuEntry[] }) {
  return (
    <Popup button={<Icon name="more" />} label={t("menu")} surface="menu" placement="below-end">
      {(close) =>
        entries.map((entry) => (
          <button
            key={entry.label}
            type="button"
            class="menu-item"
            role="menuitem"
            tabIndex={-1}
            onKeyDown={moveFocus}
            onClick={() => {
              close();
              entry.run();
            }}
          >
            <Icon name={entry.icon} />
            {entry.label}
          </button>
        ))
      }
    </Popup>
  );
}

/** Moves the focus among the entries around the one that has it. */
function moveFocus(event: KeyboardEvent): void {
  if (!(event.currentTarget instanceof HTMLElement)) return;
  const items = [...(event.currentTarget.parentElement?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? [])];
  const index = items.indexOf(event.currentTarget);
  const target = targetOf(event.key, index, items.length);
  if (target === null) return;
  event.preventDefault();
  items.at(target)?.focus();
}

function targetOf(key: string, index: number, count: number): number | null {
  switch (key) {
    case "ArrowDown":
      return (index + 1) % count;
    case "ArrowUp":
      return index - 1;
    case "Home":
      return 0;
    case "End":
      return -1;
    default:
      return null;
  }
}
