/** Connects a model: servers found on this computer, or an address with a name and a key. */
import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import type { PanelRequest } from "../../bridge/panel-port";
import type { ServerFound } from "../../contract/types";
import { usePanel } from "../context";
import { t } from "../i18n";
import { bodyOf } from "../port";
import { refusalText } from "../refusals";
import { visibleText } from "../visible-text";

type SetProvider = Extract<PanelRequest, { kind: "set-provider" }>;
type Search = "idle" | "searching" | ServerFound[];

/** The set-up of a model; `done` is called once one answered. */
export function ModelSetup({ done }: { done: () => void }) {
  const { request, announce } = usePanel();
  const [problem, setProblem] = useState("");
  const [saving, setSaving] = useState(false);
  const save = async (provider: SetProvider) => {
    setProblem("");
    setSaving(true);
    const answer = await request(provider);
    setSaving(false);
    if (!answer.ok) return setProblem(refusalText(answer));
    announce(t("modelSaved"));
    done();
  };
  return (
    <div class="model-setup">
      <LocalServers saving={saving} save={save} />
      <RemoteModel saving={saving} save={save} />
      {saving && (
        <p class="hint" role="status">
          {t("modelTesting")}
        </p>
      )}
      {problem !== "" && (
        <p class="field-error" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}

interface PartProps {
  saving: boolean;
  save: (provider: SetProvider) => Promise<void>;
}

function LocalServers({ saving, save }: PartProps) {
  const { request } = usePanel();
  const [found, setFound] = useState<Search>("idle");
  const search = async () => {
    setFound("searching");
    setFound(bodyOf(await request({ kind: "detect" }), "servers")?.servers ?? []);
  };
  return (
    <div class="model-local">
      <button type="button" class="button" disabled={found === "searching"} onClick={() => void search()}>
        {found === "searching" ? t("modelSearching") : t("modelSearch")}
      </button>
      {Array.isArray(found) && found.length === 0 && <p class="hint">{t("modelNoneFound")}</p>}
      {Array.isArray(found) &&
        found.map((server) => <Server key={server.baseUrl} server={server} saving={saving} save={save} />)}
    </div>
  );
}

function Server({ server, saving, save }: PartProps & { server: ServerFound }) {
  const [model, setModel] = useState(server.models[0] ?? "");
  const field = useId();
  const use = () => save({ kind: "set-provider", provider: "openai", baseUrl: server.baseUrl, model });
  return (
    <div class="server">
      <label class="field" for={field}>
        {t("modelOfServer", visibleText(server.label))}
        <select id={field} value={model} onChange={(event) => setModel(event.currentTarget.value)}>
          {server.models.map((name) => (
            <option key={name} value={name}>
              {visibleText(name)}
            </option>
          ))}
        </select>
      </label>
      <button type="button" class="button primary" disabled={model === "" || saving} onClick={() => void use()}>
        {t("modelUse")}
      </button>
    </div>
  );
}

function RemoteModel({ saving, save }: PartProps) {
  const [baseUrl, setBaseUrl] = useState("");
  const [model, setModel] = useState("");
  const [apiKey, setApiKey] = useState("");
  const address = URL.parse(baseUrl.trim());
  const ready = address !== null && /^https?:$/.test(address.protocol) && model.trim() !== "";
  const use = () =>
    save({
      kind: "set-provider",
      provider: "openai",
      baseUrl: baseUrl.trim(),
      model: model.trim(),
      ...(apiKey.trim() === "" ? {} : { apiKey: apiKey.trim() }),
    });
  return (
    <details class="more">
      <summary>{t("modelByAddress")}</summary>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void use();
        }}
      >
        <Field label={t("modelBaseUrl")}>
          {(id) => (
            <input id={id} type="url" {...typing(baseUrl, setBaseUrl)} placeholder="https://api.example.com/v1" />
          )}
        </Field>
        <Field label={t("modelName")}>{(id) => <input id={id} type="text" {...typing(model, setModel)} />}</Field>
        <Field label={t("modelKey")}>{(id) => <input id={id} type="password" {...typing(apiKey, setApiKey)} />}</Field>
        <p class="hint">{t("modelKeyHint")}</p>
        <button type="submit" class="button primary" disabled={!ready || saving}>
          {t("modelUse")}
        </button>
      </form>
    </details>
  );
}

/** A label around its field. */
function Field({ label, children }: { label: string; children: (id: string) => ComponentChildren }) {
  const id = useId();
  return (
    <label class="field" for={id}>
      {label}
      {children(id)}
    </label>
  );
}

/** What all fields here have in common: nothing the browser would complete, correct or remember. */
function typing(value: string, set: (value: string) => void) {
  const onInput = (event: { currentTarget: HTMLInputElement }) => set(event.currentTarget.value);
  return { value, onInput, autocomplete: "off", spellcheck: false } as const;
}
