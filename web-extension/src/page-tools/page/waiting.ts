/**
 * Waiting for time, frames and a page that has come to rest. Every wait ends with its signal, whose reason it throws.
 *
 * A hidden tab paints no frames and slows its timers; each wait here is bounded all the same.
 */

/** Resolves after some time. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    signal.addEventListener("abort", stop, { once: true });
  });
}

/** A frame takes longer than this only where none is painted. */
const FRAME_MILLISECONDS = 80;

/** Resolves at the next painted frame, or soon where none is painted. */
export async function nextFrame(view: Window, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  // In a hidden tab nothing moves from frame to frame, and a timer may take a second or a minute.
  if (view.document.hidden) return nextTask();
  let frame = 0;
  const painted = new Promise<void>((resolve) => {
    frame = view.requestAnimationFrame(() => resolve());
  });
  try {
    await Promise.race([painted, pause(FRAME_MILLISECONDS, signal)]);
  } finally {
    view.cancelAnimationFrame(frame);
  }
}

/** Lets the page's own pending work run first. */
function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}

/** How long nothing may change, and how long to wait for that at most. */
export interface Rest {
  quiet: number;
  most: number;
}

const WATCHED: MutationObserverInit = { childList: true, subtree: true, characterData: true, attributes: true };

/** Resolves true once the given roots have not changed for a while, false when they never came to rest. */
export async function atRest(roots: readonly Node[], rest: Rest, signal: AbortSignal): Promise<boolean> {
  const started = performance.now();
  let changed = started;
  const observer = new MutationObserver(() => {
    changed = performance.now();
  });
  for (const root of roots) observer.observe(root, WATCHED);
  try {
    for (;;) {
      const now = performance.now();
      if (now - changed >= rest.quiet) return true;
      if (now - started >= rest.most) return false;
      await pause(Math.min(rest.quiet - (now - changed), rest.most - (now - started)) + 1, signal);
    }
  } finally {
    observer.disconnect();
  }
}

/** Calls back when one of the roots has changed, at most once per interval, until the signal ends. */
export function onChange(roots: readonly Node[], interval: () => number, signal: AbortSignal, call: () => void): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const observer = new MutationObserver(() => {
    timer ??= setTimeout(() => {
      timer = undefined;
      call();
    }, interval());
  });
  for (const root of roots) observer.observe(root, WATCHED);
  const stop = () => {
    observer.disconnect();
    clearTimeout(timer);
  };
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
}
