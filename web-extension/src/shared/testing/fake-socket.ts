/** An in-memory WebSocket for unit tests: the test plays the worker. */

/** Stands in for the global `WebSocket`; the newest one is what the code under test has just opened. */
export class FakeSocket {
  static readonly OPEN = 1;
  static opened: FakeSocket[] = [];
  readonly url: string;
  readonly sent: unknown[] = [];
  readyState = 0;
  closedWith: number | undefined;
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onclose: (() => void) | null = null;

  constructor(url: string) {
    this.url = url;
    FakeSocket.opened.push(this);
  }

  send(text: string): void {
    this.sent.push(JSON.parse(text));
  }

  close(code: number): void {
    this.closedWith = code;
    this.readyState = 3;
  }

  /** The connection is established. */
  accept(): void {
    this.readyState = FakeSocket.OPEN;
    this.onopen?.();
  }

  /** The other side sends something. */
  receive(message: unknown): void {
    this.onmessage?.({ data: typeof message === "string" ? message : JSON.stringify(message) });
  }

  /** The other side is gone, or was never there. */
  drop(): void {
    this.readyState = 3;
    this.onclose?.();
  }
}
