/**
 * The guarded path of every tool call in this frame: who asks, what it means, whether it is still what the person was
 * asked about, how long it may take; and exactly one answer.
 */
import { FRAME_ARGUMENTS } from "../frame-arguments";
import type {
  CoverReply,
  FrameDone,
  StopPressed,
  TargetAsk,
  TargetReply,
  ToolAsk,
  ToolMessage,
  ToolReply,
} from "../messages";
import { isFrameTool, isToolMessage, PAGE_ROLE } from "../messages";
import { faultOf } from "../schema";
import { contextOf } from "./context";
import { Covers } from "./covers";
import type { Described } from "./describe";
import { describe } from "./describe";
import { refusal, ToolFault } from "./fault";
import type { Job, PageTool } from "./job";
import { Lifeline } from "./lifeline";
import { Marks } from "./marks";
import { isSecret } from "./secret";
import { bringIntoView } from "./show";
import { resolved } from "./target";
import { pageTools } from "./tools";

/** A call that the service worker has begun and not ended. */
interface Call {
  ended: AbortController;
  running: boolean;
  /** It ran: its outline stays for a moment, so that the person sees where. */
  ran: boolean;
  /** What the person was asked about; `element` is null where the call acts on the page as a whole. */
  asked: { element: Element | null; described: Described } | null;
  /** A call whose end never comes is ended here. */
  expiry: ReturnType<typeof setTimeout>;
}

const CALLS_MAX = 64;
/** Longer than a person has to answer and a tool to run. */
const CALL_MILLISECONDS = 720_000;
/** How long an outline stays after the tool is done. */
const AFTERGLOW_MILLISECONDS = 700;

/** Runs the tools of one frame. */
export class ToolService {
  readonly #view: Window;
  readonly #marks: Marks;
  readonly #covers: Covers;
  readonly #calls = new Map<string, Call>();
  readonly #lifeline = new Lifeline(() => this.#cut());

  constructor(view: Window) {
    this.#view = view;
    this.#marks = new Marks(view);
    this.#covers = new Covers(view, this.#marks);
  }

  /** Takes a message; a promise of the answer where one is due. */
  take(message: ToolMessage): Promise<ToolReply | TargetReply | CoverReply> | null {
    switch (message.kind) {
      case "sidewire-tool":
        return this.#run(message);
      case "sidewire-tool-target":
        return Promise.resolve(this.#target(message));
      case "sidewire-tool-cover":
        return this.#covers.cover(message.call).catch(refusal);
      case "sidewire-tool-show":
        this.#show(message.call);
        return null;
      case "sidewire-tool-end":
        this.#end(message.call);
        return null;
      case "sidewire-tool-badge":
        this.#lifeline.hold(message.call);
        this.#marks.badge(message.call, message, () => pressedStop(message.call));
        return null;
      case "sidewire-tool-clear":
        this.#marks.clear();
        return null;
    }
  }

  /** Ends everything. */
  close(): void {
    for (const call of [...this.#calls.keys()]) this.#end(call);
    this.#marks.close();
  }

  /** The service worker died: nobody will end what it began. */
  #cut(): void {
    for (const call of [...this.#calls.keys()]) this.#end(call);
    this.#marks.cut();
  }

  /** The person is asked about the target of a call, and has to see it. */
  #show(call: string): void {
    const element = this.#calls.get(call)?.asked?.element;
    if (element?.isConnected === true) bringIntoView(element, this.#view);
  }

  #target(ask: TargetAsk): TargetReply {
    try {
      const tool = toolOf(ask);
      const element = this.#resolve(tool, ask);
      const acted = element === null ? null : (tool.examine?.(element, ask.arguments) ?? element);
      const described = element === null ? this.#page() : describe(element);
      this.#call(ask.call).asked = { element, described };
      this.#lifeline.hold(ask.call);
      this.#outline(acted, ask.call);
      const secret = acted !== null && isSecret(acted);
      const effect = acted === null ? undefined : tool.effect?.(acted, ask.arguments);
      const context = element === null ? "" : contextOf(element);
      return { ok: true, ...described, context, secret, ...(effect !== undefined && { effect }) };
    } catch (fault) {
      return refusal(fault);
    }
  }

  /** Outlines what a call acts on, once. */
  #outline(element: Element | null, call: string): void {
    this.#marks.end(call, "outline");
    if (element !== null) this.#marks.mark(element, { call });
  }

  async #run(ask: ToolAsk): Promise<ToolReply> {
    const call = this.#call(ask.call);
    if (call.running) return refusal(new ToolFault("bad-arguments", "this call runs already"));
    call.running = true;
    call.ran = true;
    try {
      return await this.#guarded(toolOf(ask), ask, call);
    } catch (fault) {
      return refusal(fault);
    } finally {
      call.running = false;
      setTimeout(() => this.#marks.end(ask.call, "outline"), AFTERGLOW_MILLISECONDS);
    }
  }

  async #guarded(tool: PageTool, ask: ToolAsk, call: Call): Promise<FrameDone> {
    const { ended } = call;
    const over = new AbortController();
    const limit = typeof tool.limit === "number" ? tool.limit : tool.limit(ask.arguments);
    const timer = setTimeout(() => over.abort(new ToolFault("timeout", `not done within ${limit / 1000} s`)), limit);
    const signal = AbortSignal.any([ended.signal, over.signal]);
    try {
      signal.throwIfAborted();
      const job = this.#job(tool, ask, { call, signal });
      // Drawn before anything is done, so that the person sees where.
      if (tool.acts === true) this.#outline(job.target, ask.call);
      return await orAborted(Promise.resolve(tool.run(job)), signal);
    } catch (fault) {
      if (tool.decorates === true) return skipped(fault);
      throw fault;
    } finally {
      clearTimeout(timer);
      // Whatever the tool still waits for ends with it.
      over.abort(new ToolFault("cancelled"));
    }
  }

  #job(tool: PageTool, ask: ToolAsk, { call, signal }: { call: Call; signal: AbortSignal }): Job {
    const target = this.#resolve(tool, ask);
    const check = () => {
      signal.throwIfAborted();
      if (ask.confirmed === true) this.#compare(call, target);
    };
    check();
    const { prefix = "", mayTypeSecrets = false } = ask;
    return { view: this.#view, args: ask.arguments, prefix, signal, mayTypeSecrets, target, check, marks: this.#marks };
  }

  /** The person said yes to one element under one name: to nothing else. */
  #compare({ asked }: Call, target: Element | null): void {
    const now = target === null ? this.#page() : describe(target);
    const same = asked !== null && asked.element === target && asked.described.role === now.role;
    const named = target === null || asked?.described.name === now.name;
    if (!same || !named) throw new ToolFault("target-changed", "the page changed after the person was asked");
  }

  #resolve(tool: PageTool, ask: ToolAsk | TargetAsk): Element | null {
    if (tool.target === "none") return null;
    const place = { view: this.#view, prefix: ask.prefix ?? "" };
    const { text, ...others } = ask.arguments;
    const named = tool.ownText === true ? others : { ...others, text };
    const element = resolved(named, place) ?? tool.implied?.(this.#view) ?? null;
    if (element === null && tool.target === "one") {
      throw new ToolFault("bad-arguments", "say what to act on: a ref, or role and name, or text");
    }
    return element;
  }

  #page(): Described {
    return { role: PAGE_ROLE, name: "" };
  }

  #call(id: string): Call {
    const known = this.#calls.get(id);
    if (known !== undefined) return known;
    const [oldest] = this.#calls.keys();
    if (oldest !== undefined && this.#calls.size >= CALLS_MAX) this.#end(oldest);
    const expiry = setTimeout(() => this.#end(id), CALL_MILLISECONDS);
    const call = { ended: new AbortController(), running: false, ran: false, asked: null, expiry };
    this.#calls.set(id, call);
    return call;
  }

  #end(id: string): void {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    this.#lifeline.drop(id);
    if (call?.ran !== true) this.#marks.end(id);
    clearTimeout(call?.expiry);
    call?.ended.abort(new ToolFault("cancelled"));
  }
}

/** The tool that is asked for, with arguments that fit it. */
function toolOf({ tool, arguments: values }: { tool: string; arguments: unknown }): PageTool {
  if (!isFrameTool(tool)) throw new ToolFault("unknown-tool");
  const fault = faultOf(FRAME_ARGUMENTS[tool], values);
  if (fault !== null) throw new ToolFault("bad-arguments", fault);
  return pageTools[tool];
}

/** Decoration never fails a turn; what was meant wrongly is said all the same. */
function skipped(fault: unknown): FrameDone {
  const known = fault instanceof ToolFault;
  if (known && ["bad-arguments", "cancelled"].includes(fault.code)) throw fault;
  const why = known ? fault.detail || fault.code : "it could not be drawn";
  return { ok: true, text: `skipped: ${why}` };
}

function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    work.then(resolve, reject);
  });
}

function pressedStop(call: string): void {
  const message: StopPressed = { kind: "sidewire-stop", call };
  chrome.runtime.sendMessage(message).catch(() => undefined);
}

/** Serves the tools of a frame to our service worker, and to nobody else; ends with the signal. */
export function serveTools(view: Window, signal: AbortSignal): void {
  const service = new ToolService(view);
  const onMessage = (message: unknown, sender: chrome.runtime.MessageSender, reply: (answer: unknown) => void) => {
    // A page has no way to send this; another extension and another page's content script have none either.
    if (sender.id !== chrome.runtime.id || sender.tab !== undefined || !isToolMessage(message)) return false;
    const answer = service.take(message);
    answer?.then(reply, () => reply(refusal(null)));
    return answer !== null;
  };
  chrome.runtime.onMessage.addListener(onMessage);
  const close = () => {
    chrome.runtime.onMessage.removeListener(onMessage);
    service.close();
  };
  signal.addEventListener("abort", close, { once: true });
}
