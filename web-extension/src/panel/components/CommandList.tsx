/** The list that opens above the composer when a message begins with a slash. */
import type { Command } from "../commands";
import { t } from "../i18n";
import { Icon } from "./Icon";

interface Props {
  id: string;
  commands: Command[];
  active: number;
  choose: (command: Command) => void;
}

/** The commands; the composer keeps the focus and moves the active one. */
export function CommandList({ id, commands, active, choose }: Props) {
  return (
    <div class="commands" id={id} role="listbox" aria-label={t("commands")}>
      {commands.map((command, index) => (
        // The composer's keys choose; the press must not take the focus from it.
        <div
          key={command.id}
          id={optionId(id, command)}
          class="command-option"
          role="option"
          tabIndex={-1}
          aria-selected={index === active}
          onMouseDown={(event) => {
            event.preventDefault();
            choose(command);
          }}
        >
          <Icon name={command.icon} />
          <span class="command-name">{`/${command.name}`}</span>
          <span class="command-hint">{command.hint}</span>
        </div>
      ))}
    </div>
  );
}

/** The id of a command's element, for the composer's `aria-activedescendant`. */
export function optionId(list: string, command: Command): string {
  return `${list}-${command.id}`;
}
