/** A running sample console. */
export interface SampleConsole {
  /** Origin, without a trailing slash. */
  url: string;
  close(): Promise<void>;
}

export interface SampleConsoleOptions {
  /** 0 takes any free port. */
  port?: number;
  /** Serve over HTTPS with this key and certificate (PEM). */
  tls?: { key: string | Buffer; cert: string | Buffer };
}

/** Starts the console on 127.0.0.1. */
export function startSampleConsole(options?: SampleConsoleOptions): Promise<SampleConsole>;
