import type { Operation } from "@berth/contract";

/** Receives what the client does on its own, such as retries. Fields never contain a token, a header or a body. */
export interface Logger {
  debug(message: string, fields: Record<string, unknown>): void;
  warn(message: string, fields: Record<string, unknown>): void;
}

export interface ClientOptions {
  /** The server's URL, with the path prefix of a proxy if there is one: `https://berth.example.com`. */
  baseURL: string;
  /**
   * A personal access token or a service account token. Null: no token is sent, for operations that need none, or in a page that
   * the service served, where the browser sends the cookie of a sign-in.
   */
  token: string | null;
  /** Number of retries on 5xx and connection errors. Default: 3. */
  maxRetries?: number;
  /** In milliseconds, for one attempt with its body; for streams and contents, until the body begins. Default: 60,000. */
  timeout?: number;
  /** Default: the global `fetch`. */
  fetch?: typeof fetch;
  defaultHeaders?: Record<string, string>;
  /** Default: none. */
  logger?: Logger;
  /** Waits between attempts. Default: a timer. */
  sleep?: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
}

/** The last argument of every method. */
export interface CallOptions {
  signal?: AbortSignal | undefined;
  timeout?: number | undefined;
  maxRetries?: number | undefined;
  headers?: Record<string, string> | undefined;
  /** For POST and DELETE. Default: a new key for each call, the same in all its attempts. */
  idempotencyKey?: string | undefined;
}

/** A call of an operation. */
export interface Call extends CallOptions {
  operation: Operation;
  params?: Record<string, string>;
  query?: object | undefined;
  body?: unknown;
}
