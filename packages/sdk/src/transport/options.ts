import type { Operation } from "@berth/contract";

/** Gets one line for what the client does by itself. Fields never hold a token, a header or a body. */
export interface Logger {
  debug(message: string, fields: Record<string, unknown>): void;
  warn(message: string, fields: Record<string, unknown>): void;
}

export interface ClientOptions {
  /** Where Berth listens, with the prefix when a proxy puts one before it: `https://berth.example.com`. */
  baseURL: string;
  /** A PAT or SAT. */
  token: string;
  /** Attempts after the first, on 5xx and connection errors. Default 3. */
  maxRetries?: number;
  /** Milliseconds for one attempt, the body included; of streams and contents only until they begin. Default 60,000. */
  timeout?: number;
  /** Default: the global `fetch`. */
  fetch?: typeof fetch;
  defaultHeaders?: Record<string, string>;
  /** Default: silence. */
  logger?: Logger;
  /** How the client waits between attempts. Default: by the clock. */
  sleep?: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
}

/** What every method takes last. */
export interface CallOptions {
  signal?: AbortSignal | undefined;
  timeout?: number | undefined;
  maxRetries?: number | undefined;
  headers?: Record<string, string> | undefined;
  /** Of POST and DELETE. Default: a new one for each call, the same for all its attempts. */
  idempotencyKey?: string | undefined;
}

/** One call as the transport sends it. */
export interface Call extends CallOptions {
  operation: Operation;
  params?: Record<string, string>;
  query?: object | undefined;
  body?: unknown;
}
