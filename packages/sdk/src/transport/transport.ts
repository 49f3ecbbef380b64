import { isBlockedPort } from "@berth/contract/blocked-ports";
import { BerthError, ConnectionError, readError, TimeoutError, TLSError } from "./errors.ts";
import type { Call, ClientOptions } from "./options.ts";
import { retryDelay, sleep } from "./retry.ts";
import { tlsFault } from "./tls-fault.ts";
import { urlOf } from "./url.ts";

/** Sends the calls of all methods: sets headers, applies timeouts, retries. */
export class Transport {
  readonly #options: ClientOptions;
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;

  constructor(options: ClientOptions) {
    // The token is checked here, since the platform's own error about an invalid header would contain it.
    if (options.token !== null && !/^[\x21-\x7e]+$/.test(options.token))
      throw new BerthError("'token' must be visible ASCII characters.");
    this.#options = options;
    this.sleep = options.sleep ?? sleep;
  }

  /** Sends a call and parses the response as JSON. */
  async json<T>(call: Call): Promise<{ data: T; response: Response }> {
    return this.#send(call, "application/json", async (response) => ({
      data: parse<T>(await response.text()),
      response,
    }));
  }

  /** Sends a call and returns the response with its body unread. */
  async open(call: Call, accept: string): Promise<Response> {
    return this.#send(call, accept, async (response) => response);
  }

  warn(message: string, fields: Record<string, unknown>): void {
    this.#options.logger?.warn(message, fields);
  }

  async #send<T>(call: Call, accept: string, read: (response: Response) => Promise<T>): Promise<T> {
    const maxRetries = call.maxRetries ?? this.#options.maxRetries ?? 3;
    const request = this.#request(call, accept);
    for (let retries = 0; ; retries++) {
      try {
        return await this.#attempt(call, request, read);
      } catch (error) {
        const wait = retries < maxRetries ? retryDelay(error, retries, Date.now()) : null;
        if (wait === null) throw error;
        this.warn("retrying", { operation: call.operation.id, error: String(error), wait_ms: wait });
        await this.sleep(wait, call.signal);
      }
    }
  }

  async #attempt<T>(
    call: Call,
    request: () => Request,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    call.signal?.throwIfAborted();
    const timeout = call.timeout ?? this.#options.timeout ?? 60_000;
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), timeout);
    const signal = call.signal === undefined ? late.signal : AbortSignal.any([call.signal, late.signal]);
    try {
      const response = await (this.#options.fetch ?? fetch)(request(), { signal });
      this.#options.logger?.debug("response received", {
        operation: call.operation.id,
        status: response.status,
      });
      if (!response.ok) throw await readError(response);
      return await read(response);
    } catch (error) {
      if (error instanceof BerthError) throw error;
      call.signal?.throwIfAborted();
      if (late.signal.aborted) throw new TimeoutError(`No response within ${timeout} ms.`, { cause: error });
      throw connectionError(this.#options.baseURL, error);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Returns a factory of requests: a body can only be sent once, so each attempt needs its own. */
  #request(call: Call, accept: string): () => Request {
    const { operation, params = {}, query, body } = call;
    const url = urlOf(this.#options.baseURL, operation.path, params, query);
    const headers = new Headers(this.#options.defaultHeaders);
    const { token } = this.#options;
    const isOpen = operation.credential === "none";
    if (token !== null && !isOpen) headers.set("authorization", `Bearer ${token}`);
    headers.set("accept", accept);
    if (!isOpen && (operation.method === "POST" || operation.method === "DELETE"))
      headers.set("idempotency-key", call.idempotencyKey ?? newKey());
    if (operation.body === "json") headers.set("content-type", "application/json");
    for (const [name, value] of Object.entries(call.headers ?? {})) headers.set(name, value);
    const encoded =
      operation.body === "json" ? JSON.stringify(body) : ((body as FormData | Blob | undefined) ?? null);
    // Following a redirect could send the token elsewhere or lose the method, so it is reported as an error.
    const init: RequestInit = { method: operation.method, headers, body: encoded, redirect: "manual" };
    return () => new Request(url, init);
  }
}

function parse<T>(text: string): T {
  try {
    return JSON.parse(text) as T;
  } catch (cause) {
    throw new BerthError("The response is not JSON. Is 'baseURL' the address of Berth?", { cause });
  }
}

/** Converts an error of `fetch`, whose reason is in its cause. A blocked port is permanent. */
function connectionError(baseURL: string, error: unknown): BerthError {
  const { origin = "the server", port = "" } = URL.parse(baseURL) ?? {};
  if (isBlockedPort(Number(port))) {
    const reason = `'fetch' blocks port ${port}. The service has to listen on another port.`;
    return new BerthError(`The connection to ${origin} failed: ${reason}`, { cause: error });
  }
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const fault = tlsFault(origin, cause);
  if (fault !== null) return new TLSError(fault.message, fault.isUntrusted, { cause: error });
  const { message, code } = cause as { message?: string; code?: string };
  const reason = message || code || "unknown reason";
  return new ConnectionError(`The connection to ${origin} failed: ${reason}.`, { cause: error });
}

/** Returns a new idempotency key. Browsers lack `crypto.randomUUID` on pages without https. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}
