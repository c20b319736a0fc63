/** Exactly what the next question takes along: as a readable tree, the API body, and the JSON itself. */
import { useEffect, useState } from "preact/hooks";
import type { Preview as Shown } from "../../bridge/panel-port";
import { usePanel } from "../context";
import { formatBytes, formatNumber } from "../format";
import { counted, t } from "../i18n";
import { bodyOf } from "../port";
import { refusalText } from "../refusals";
import { CopyButton } from "./CopyButton";
import { JsonText } from "./JsonText";
import { PageTree } from "./PageTree";
import { Sheet } from "./Sheet";
import { Tabs } from "./Tabs";

type Content = { state: "reading" } | { state: "shown"; preview: Shown } | { state: "refused"; text: string };

/** The preview sheet; what it shows is what will be sent, until the page changes. */
export function Preview({ of: key, close }: { of: string; close: () => void }) {
  const { request, dispatch } = usePanel();
  const [content, setContent] = useState<Content>({ state: "reading" });
  useEffect(() => {
    const read = async () => {
      const answer = await request({ kind: "preview", key });
      const preview = bodyOf(answer, "preview")?.preview;
      if (preview === undefined) return setContent({ state: "refused", text: answer.ok ? "" : refusalText(answer) });
      dispatch({ kind: "pinned", preview });
      setContent({ state: "shown", preview });
    };
    void read();
  }, [key, request, dispatch]);
  return (
    <Sheet title={t("previewTitle")} close={close}>
      {content.state === "reading" && <p class="sheet-empty">{t("previewReading")}</p>}
      {content.state === "refused" && (
        <p class="sheet-empty field-error" role="alert">
          {content.text}
        </p>
      )}
      {content.state === "shown" && <Body preview={content.preview} />}
    </Sheet>
  );
}

function Body({ preview }: { preview: Shown }) {
  const { snapshot, report } = preview;
  const json = JSON.stringify(snapshot);
  const tree = () => (snapshot.ax === null ? <Nothing /> : <PageTree root={snapshot.ax} />);
  const api = () =>
    snapshot.api === null ? <Nothing /> : <JsonText text={JSON.stringify(snapshot.api.body, null, 2) ?? ""} />;
  return (
    <>
      <Report preview={preview} />
      <Tabs
        label={t("previewTitle")}
        tabs={[
          { name: t("previewTree"), content: tree },
          { name: t("previewApi"), content: api },
          { name: t("previewJson"), content: () => <JsonText text={json} /> },
        ]}
      />
      <footer class="sheet-foot">
        <span class="hint">{t("previewPinned", formatBytes(report.bytes))}</span>
        <CopyButton text={json} label={t("previewCopy")} />
      </footer>
    </>
  );
}

/** Says with numbers what was cut and what was hidden. */
function Report({ preview: { snapshot, report } }: { preview: Shown }) {
  const cut = report.nodesSeen - report.nodesSent;
  return (
    <div class="report">
      <p>{t("reportSize", formatBytes(report.bytes), formatBytes(report.budget))}</p>
      <p>{t("reportNodes", formatNumber(report.nodesSent), formatNumber(report.nodesSeen))}</p>
      {cut > 0 && <p class="report-cut">{counted("reportCut", cut)}</p>}
      {snapshot.api?.truncated === true && <p class="report-cut">{t("reportApiCut")}</p>}
      {report.redacted.length > 0 && <p class="report-cut">{counted("reportRedacted", report.redacted.length)}</p>}
      {report.framesUnreadable > 0 && <p class="report-cut">{counted("reportFrames", report.framesUnreadable)}</p>}
    </div>
  );
}

function Nothing() {
  return <p class="sheet-empty">{t("previewNothing")}</p>;
}
