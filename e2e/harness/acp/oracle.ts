/** The published schema of ACP as an oracle over everything an agent said. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { field } from "../json";
import { REPOSITORY } from "../paths";

/** A line between an editor and its agent. */
export interface TappedLine {
  who: "client" | "agent";
  line: string;
}

const file = join(REPOSITORY, "node_modules", "@agentclientprotocol", "sdk", "schema", "v1", "schema.json");
const schema: unknown = JSON.parse(readFileSync(file, "utf8"));
const ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: false });
ajv.addSchema(Object(schema), "acp");

type Part = "params" | "result";

/** Method and part → name of the definition. */
const names = new Map<string, string>();
for (const [name, definition] of Object.entries(Object(field(schema, "$defs")))) {
  const method = field(definition, "x-method");
  if (typeof method === "string") names.set(`${method} ${name.endsWith("Response") ? "result" : "params"}`, name);
}

/** What was recorded in a log of the wiretap. */
export function tappedLines(log: string): TappedLine[] {
  return log
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [who, said]: unknown[] = JSON.parse(line);
      return { who: who === "client" ? "client" : "agent", line: String(said) };
    });
}

/** How many messages of the agent were looked at, and what is wrong with them. */
export function judge(lines: readonly TappedLine[]): { messages: number; faults: string[] } {
  const asked = new Map<string, string>();
  const faults: string[] = [];
  let messages = 0;
  for (const { who, line } of lines) {
    const message: unknown = JSON.parse(line);
    const method = field(message, "method");
    const id = field(message, "id");
    if (who === "client") {
      if (typeof method === "string" && id !== undefined) asked.set(JSON.stringify(id), method);
      continue;
    }
    messages += 1;
    if (field(message, "jsonrpc") !== "2.0") faults.push(`no JSON-RPC 2.0: ${clip(line)}`);
    if (typeof method === "string") faults.push(...faultsOf(method, "params", field(message, "params")));
    else if (field(message, "error") !== undefined) faults.push(...check("Error", field(message, "error")));
    else faults.push(...faultsOf(asked.get(JSON.stringify(id)) ?? "", "result", field(message, "result")));
  }
  return { messages, faults };
}

function faultsOf(method: string, part: Part, value: unknown): string[] {
  const name = names.get(`${method} ${part}`);
  if (name === undefined) return method === "session/set_model" ? [] : [`the protocol has no ${part} of "${method}"`];
  return check(name, value);
}

function check(name: string, value: unknown): string[] {
  const validate = ajv.getSchema(`acp#/$defs/${name}`);
  if (validate === undefined) throw new Error(`the schema has no ${name}`);
  if (validate(value) === true) return [];
  return [`${name}: ${ajv.errorsText(validate.errors)}: ${clip(JSON.stringify(value) ?? "")}`];
}

function clip(text: string): string {
  return text.slice(0, 500);
}
