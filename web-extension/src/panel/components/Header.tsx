/** Title of the conversation, the model, and the ways to other conversations. */
import type { Link } from "../../bridge/panel-port";
import { t } from "../i18n";
import { visibleText } from "../visible-text";
import { IconButton } from "./IconButton";
import { Menu, type MenuEntry } from "./Menu";
import { ModelPicker } from "./ModelPicker";

interface Props {
  title: string;
  link: Link;
  openHistory: () => void;
  openNew: () => void;
  openSetUp: () => void;
  menu: MenuEntry[];
}

/** The panel's header. */
export function Header({ title, link, openHistory, openNew, openSetUp, menu }: Props) {
  const shown = visibleText(title) || t("newConversation");
  return (
    <div class="header">
      <h1 class="header-title" title={shown}>
        <bdi>{shown}</bdi>
      </h1>
      {link.state === "ready" && <ModelPicker model={link.model} openSetUp={openSetUp} />}
      <IconButton icon="history" label={t("history")} onClick={openHistory} />
      <IconButton icon="plus" label={t("newConversation")} onClick={openNew} />
      <Menu entries={menu} />
    </div>
  );
}
