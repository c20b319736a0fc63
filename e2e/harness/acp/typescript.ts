/** A client written with the official TypeScript SDK. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { type Readable, Writable } from "node:stream";
import { type ClientConnection, client, methods, ndJsonStream, RequestError } from "@agentclientprotocol/sdk";
import { type AcpClient, AcpError, type ClientKind, type Launch, objectOf, type Update } from "./client";
import type { Desk } from "./desk";

/** The official TypeScript SDK. */
export const TYPESCRIPT: ClientKind = { name: "TypeScript SDK", connect };

async function connect({ command, args, env, desk }: Launch): Promise<AcpClient> {
  const agent = spawn(command, args, { env, stdio: ["pipe", "pipe", "ignore"] });
  const ended = once(agent, "exit");
  const updates: Update[] = [];
  const stream = ndJsonStream(Writable.toWeb(agent.stdin), bytesOf(agent.stdout));
  const connection = editor(desk, updates).connect(stream);
  return {
    updates,
    request: async (method, params) => ask(connection, method, params),
    cancel: async (sessionId) => connection.agent.notify(methods.agent.session.cancel, { sessionId }),
    close: async () => {
      agent.stdin.end();
      await ended;
      connection.close();
    },
  };
}

/** A stream of Node as one of the web's; the two libraries' types of it differ too much to convert one. */
function bytesOf(from: Readable): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      from.on("data", (piece: Uint8Array) => controller.enqueue(piece));
      from.on("end", () => controller.close());
    },
  });
}

function editor(desk: Desk, updates: Update[]) {
  return client({ name: "sidewire-e2e" })
    .onNotification(methods.client.session.update, ({ params }) => {
      updates.push({ sessionId: params.sessionId, update: objectOf(params.update) });
    })
    .onRequest(methods.client.session.requestPermission, ({ params }) => desk.requestPermission(params))
    .onRequest(methods.client.fs.readTextFile, ({ params }) => desk.readTextFile(params))
    .onRequest(methods.client.fs.writeTextFile, ({ params }) => desk.writeTextFile(params))
    .onRequest(methods.client.terminal.create, ({ params }) => desk.createTerminal(params))
    .onRequest(methods.client.terminal.output, ({ params }) => desk.terminalOutput(params))
    .onRequest(methods.client.terminal.waitForExit, ({ params }) => desk.waitForExit(params))
    .onRequest(methods.client.terminal.kill, ({ params }) => desk.killTerminal(params))
    .onRequest(methods.client.terminal.release, ({ params }) => desk.releaseTerminal(params));
}

async function ask(connection: ClientConnection, method: string, params: Record<string, unknown>): Promise<unknown> {
  try {
    return await connection.agent.request<unknown, Record<string, unknown>>(method, params);
  } catch (error) {
    if (error instanceof RequestError) throw new AcpError(error.code, error.message, error.data);
    throw error;
  }
}
