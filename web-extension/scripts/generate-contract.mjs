// @ts-check
/**
 * Makes the TypeScript side of the contract from the schema files: types and self-contained validators.
 *
 * The validators are compiled here because an extension page may not evaluate strings, which is how a JSON Schema
 * library works at run time. Nothing here decides what a message means; the schema files do.
 */
import { readFile, rename, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import Ajv from "ajv";
import standaloneCode from "ajv/dist/standalone/index.js";
import { build } from "esbuild";
import { compile } from "json-schema-to-typescript";

/** @typedef {Record<string, unknown>} Schema */

const contract = new URL("../../contract/schema/", import.meta.url);
const output = new URL("../src/contract/", import.meta.url);
const banner = "// Made from contract/schema by scripts/generate-contract.mjs. Do not edit.\n";

/**
 * @param {string} name
 * @returns {Promise<{ schemas: Record<string, Schema>, $defs?: Record<string, Schema> }>}
 */
async function readSchemas(name) {
  return JSON.parse(await readFile(new URL(name, contract), "utf8"));
}

/**
 * Replaces every inlined copy of a named schema by a reference, so that the types share one name.
 * @param {unknown} node
 * @param {Map<string, string>} named canonical text → definition name
 * @returns {unknown}
 */
function shareDefinitions(node, named) {
  if (Array.isArray(node)) return node.map((item) => shareDefinitions(item, named));
  if (typeof node !== "object" || node === null) return node;
  const name = named.get(JSON.stringify(node));
  if (name !== undefined) return { $ref: `#/$defs/${name}` };
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, shareDefinitions(value, named)]));
}

/** @param {string} name */
const pascal = (name) => name.replace(/(?:^|_)([a-z0-9])/g, (_, first) => first.toUpperCase());

/**
 * @param {Record<string, Schema>} schemas
 * @param {Record<string, Schema>} defs
 */
async function typesOf(schemas, defs) {
  const snapshot = schemas["page_context_snapshot"];
  const named = new Map([[JSON.stringify(snapshot), "page_context_snapshot"]]);
  const frames = Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [
      name,
      name === "page_context_snapshot" ? schema : shareDefinitions(schema, named),
    ]),
  );
  const $defs = Object.fromEntries(
    Object.entries({ ...defs, ...frames }).map(([name, schema]) => [
      name,
      { title: pascal(name), .../** @type {object} */ (schema) },
    ]),
  );
  const text = await compile(/** @type {import("json-schema-to-typescript").JSONSchema} */ ({ $defs }), "Contract", {
    additionalProperties: false,
    bannerComment: banner,
    unreachableDefinitions: true,
    style: { printWidth: 120 },
  });
  // The root schema is only a bag of definitions, and the remark above each says nothing a reader needs.
  return text
    .replace(/\/\*\*\n \* This interface was referenced by[^/]*\*\/\n/g, "")
    .replace(/export interface Contract \{[^}]*\}\n/, "");
}

/**
 * @param {Record<string, Schema>} schemas
 * @param {Record<string, Schema>} defs
 */
async function validatorsOf(schemas, defs) {
  const ajv = new Ajv({
    code: { source: true, esm: true },
    inlineRefs: false,
    messages: false,
    strict: true,
    strictTypes: false,
    strictRequired: false,
  });
  /** @type {Record<string, string>} */
  const exported = {};
  ajv.addSchema({ $id: "shared", $defs: defs });
  for (const [name, schema] of Object.entries(schemas)) {
    // Definitions are compiled once and called, so that the module stays small.
    ajv.addSchema(JSON.parse(JSON.stringify({ $id: name, ...schema }).replaceAll('"#/$defs/', '"shared#/$defs/')));
    exported[`is${pascal(name)}`] = name;
  }
  const code = standaloneCode(ajv, exported);
  // The library leaves `require` calls for its helpers in the code; bundling them makes one self-contained module.
  const bundled = await build({
    stdin: { contents: code, resolveDir: fileURLToPath(new URL("..", import.meta.url)), loader: "js" },
    bundle: true,
    format: "esm",
    platform: "neutral",
    mainFields: ["main"],
    target: "es2022",
    minify: true,
    write: false,
  });
  const declarations = Object.keys(exported).map((guard) => {
    const type = guard.slice(2);
    return `export declare function ${guard}(value: unknown): value is contract.${type};`;
  });
  return {
    code: banner + (bundled.outputFiles[0]?.text ?? ""),
    types: `${banner}import type * as contract from "./frames.generated";\n\n${declarations.join("\n")}\n`,
  };
}

/**
 * Writes a file in one step, so that a build running at the same time never reads half of it.
 * @param {string} name
 * @param {string} text
 */
async function put(name, text) {
  const target = new URL(name, output);
  if ((await readFile(target, "utf8").catch(() => "")) === text) return;
  const temporary = new URL(`${name}.${process.pid}`, output);
  await writeFile(temporary, text);
  await rename(temporary, target);
}

const chat = await readSchemas("chat-2.1.0.json");
const bridge = await readSchemas("bridge-1.json");
const schemas = { ...chat.schemas, ...bridge.schemas };
const defs = bridge.$defs ?? {};
const [types, validators] = await Promise.all([typesOf(schemas, defs), validatorsOf(schemas, defs)]);
await put("frames.generated.d.ts", types);
await put("validators.generated.js", validators.code);
await put("validators.generated.d.ts", validators.types);
