/** An OpenAI-compatible server whose answers a test gives, piece by piece, and that remembers what it was asked. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { portOf } from "./site";

/** One message of a request. */
export interface ModelMessage {
  role: string;
  /** Its text; pieces are joined. */
  content: string;
  /** Its pictures, as data URLs. */
  pictures: readonly string[];
}

/** A tool call that the model asks for. */
export interface ScriptedToolCall {
  name: string;
  arguments: Record<string, unknown>;
}

/** The name it goes by. */
export const MODEL_NAME = "scripted-1";

/** One request for an answer, and the ways to give one. */
export class ModelCall {
  readonly messages: readonly ModelMessage[];
  /** Everything that was sent, as text. */
  readonly raw: string;
  /** Resolves when the other side gave up before the answer was complete. */
  readonly abandoned: Promise<void>;
  readonly #response: ServerResponse;

  constructor(raw: string, messages: readonly ModelMessage[], response: ServerResponse) {
    this.raw = raw;
    this.messages = messages;
    this.#response = response;
    this.abandoned = new Promise((resolve) => {
      response.on("close", () => {
        if (!response.writableFinished) resolve();
      });
    });
  }

  /** Names of the tools that were offered. */
  get offered(): string[] {
    return toolNames(JSON.parse(this.raw));
  }

  /** What the tools called last gave, in their order. */
  get results(): string[] {
    const after = this.messages.findLastIndex((message) => message.role === "assistant");
    return this.messages
      .slice(after + 1)
      .filter((message) => message.role === "tool")
      .map((message) => message.content);
  }

  /** Texts of one role. */
  texts(role: string): string[] {
    return this.messages.filter((message) => message.role === role).map((message) => message.content);
  }

  /** The person's last message, with the page in it. */
  get question(): string {
    return this.texts("user").at(-1) ?? "";
  }

  /** Sends a piece of the answer. */
  write(content: string): void {
    if (!this.#response.headersSent) this.#response.writeHead(200, { "content-type": "text/event-stream" });
    this.#event({ choices: [{ index: 0, delta: { content } }] });
  }

  /** Asks for tool calls instead of answering. */
  use(...calls: ScriptedToolCall[]): void {
    this.write("");
    const tools = calls.map(({ name, arguments: given }, index) => ({
      index,
      id: `call_${index}`,
      type: "function",
      function: { name, arguments: JSON.stringify(given) },
    }));
    this.#event({ choices: [{ index: 0, delta: { tool_calls: tools } }] });
    this.finish("tool_calls");
  }

  /** Ends the answer as a model does. */
  finish(reason = "stop"): void {
    this.#event({ choices: [{ index: 0, delta: {}, finish_reason: reason }] });
    this.#event({ choices: [], usage: { prompt_tokens: 1200, completion_tokens: 34, total_tokens: 1234 } });
    this.#response.end("data: [DONE]\n\n");
  }

  /** The whole answer at once. */
  say(content: string): void {
    this.write(content);
    this.finish();
  }

  /** Refuses it. */
  refuse(status: number): void {
    this.#response.writeHead(status, { "content-type": "application/json" });
    this.#response.end('{"error":{"message":"canary-provider-text","type":"scripted"}}');
  }

  /** Breaks the connection. */
  cut(): void {
    this.#response.destroy();
  }

  #event(chunk: Record<string, unknown>): void {
    const whole = { id: "scripted", object: "chat.completion.chunk", created: 0, model: MODEL_NAME, ...chunk };
    this.#response.write(`data: ${JSON.stringify(whole)}\n\n`);
  }
}

/** What answers calls that no test waits for. */
export type Automatic = (call: ModelCall) => void;

/** The server. */
export class ScriptedModel {
  /** Every request for an answer so far. */
  readonly calls: ModelCall[] = [];
  readonly #server: Server;
  readonly #unanswered: ModelCall[] = [];
  readonly #takers: ((call: ModelCall) => void)[] = [];
  #automatic: Automatic | null = null;

  private constructor(server: Server) {
    this.#server = server;
  }

  /** Starts it on a free port. */
  static async start(): Promise<ScriptedModel> {
    const server = createServer();
    const model = new ScriptedModel(server);
    server.on("request", (request, response) => {
      model.#handle(request, response).catch(() => response.destroy());
    });
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", () => resolve());
    });
    return model;
  }

  /** Where its API begins. */
  get baseUrl(): string {
    return `http://127.0.0.1:${portOf(this.#server.address())}/v1`;
  }

  /** From now on calls are answered so; null leaves them to the test. */
  answers(automatic: Automatic | null): void {
    this.#automatic = automatic;
  }

  /** The next call that was not answered yet. */
  async call(): Promise<ModelCall> {
    const waiting = this.#unanswered.shift();
    if (waiting !== undefined) return waiting;
    return new Promise((resolve) => {
      this.#takers.push(resolve);
    });
  }

  /** Ends it and everything it was asked. */
  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url === "/v1/models") {
      const data = [{ id: MODEL_NAME, object: "model", max_model_len: 128_000 }];
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ object: "list", data }));
    } else if (request.url === "/v1/chat/completions" && request.method === "POST") {
      const raw = await bodyOf(request);
      this.#hand(new ModelCall(raw, messagesOf(JSON.parse(raw)), response));
    } else response.writeHead(404).end();
  }

  #hand(call: ModelCall): void {
    this.calls.push(call);
    const taker = this.#takers.shift();
    if (taker !== undefined) taker(call);
    else if (this.#automatic !== null) this.#automatic(call);
    else this.#unanswered.push(call);
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString("utf8");
}

function messagesOf(body: unknown): ModelMessage[] {
  if (!isObject(body) || !Array.isArray(body["messages"])) return [];
  return body["messages"].filter(isObject).map(({ role, content }) => ({
    role: String(role),
    content: texts(content).join(""),
    pictures: pieces(content).flatMap(({ image_url: image }) => (isObject(image) ? [String(image["url"])] : [])),
  }));
}

function texts(content: unknown): string[] {
  if (typeof content === "string") return [content];
  return pieces(content).flatMap(({ text }) => (typeof text === "string" ? [text] : []));
}

function pieces(content: unknown): Record<string, unknown>[] {
  return Array.isArray(content) ? content.filter(isObject) : [];
}

function toolNames(body: unknown): string[] {
  if (!isObject(body) || !Array.isArray(body["tools"])) return [];
  return body["tools"].filter(isObject).flatMap((tool) => {
    const { function: called } = tool;
    return isObject(called) ? [String(called["name"])] : [];
  });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
