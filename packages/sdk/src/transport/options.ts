import type { Operation } from "@berth/contract";

/** Receives log lines, such as about retries. Fields never contain a token, a header or a body. */
export interface Logger {
  debug(message: string, fields: Record<string, unknown>): void;
  warn(message: string, fields: Record<string, unknown>): void;
}

export interface ClientOptions {
  /** Base URL of the server, with the path prefix of a proxy if there is one: `https://berth.example.com`. */
  baseURL: string;
  /**
   * Personal access token, service account token or operator token. With null no token is sent: for
   * operations that need none, or in a page that the service served, where the browser sends the cookie of a
   * sign-in.
   */
  token: string | null;
  /** Maximum number of retries after transient errors, such as 5xx and connection errors. Default: 3. */
  maxRetries?: number;
  /** Milliseconds per attempt, for streams and contents until the body begins. Default: 60,000. */
  timeout?: number;
  /** Function that sends requests. Default: the global `fetch`. */
  fetch?: typeof fetch;
  defaultHeaders?: Record<string, string>;
  /** Receiver of log lines. Default: none. */
  logger?: Logger;
  /** Waits between attempts. Default: a timer. */
  sleep?: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
}

/** Options of a call, the last argument of every method. */
export interface CallOptions {
  signal?: AbortSignal | undefined;
  timeout?: number | undefined;
  maxRetries?: number | undefined;
  headers?: Record<string, string> | undefined;
  /** Idempotency key of a POST or DELETE. Default: a new key for each call, the same in all its attempts. */
  idempotencyKey?: string | undefined;
}

/** A call of an operation. */
export interface Call extends CallOptions {
  operation: Operation;
  params?: Record<string, string>;
  query?: object | undefined;
  body?: unknown;
}
