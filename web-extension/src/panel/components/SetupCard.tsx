/** Offered while no model is set: everything works offline, and this is how to get more. Never in the way. */
import { useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../i18n";
import { IconButton } from "./IconButton";
import { ModelSetup } from "./ModelSetup";

/** The set-up card; one that the person asked for comes into view. */
export function SetupCard({ wanted, close }: { wanted: boolean; close: () => void }) {
  const card = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    if (wanted) card.current?.scrollIntoView({ block: "nearest" });
  }, [wanted]);
  return (
    <section class="card card-setup" ref={card} aria-label={t("setupTitle")}>
      <div class="card-head">
        <p class="card-title">{t("setupTitle")}</p>
        <IconButton icon="close" label={t("setupLater")} onClick={close} />
      </div>
      <p class="hint">{t("setupText")}</p>
      <ModelSetup done={close} />
    </section>
  );
}
