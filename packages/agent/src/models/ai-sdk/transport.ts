import type { Transformer } from "node:stream/web";
import type { Provider } from "./provider.ts";

export type Fetch = typeof globalThis.fetch;

/** The state of one HTTP exchange, to describe its errors. */
export interface Exchange {
  /** A response with a success status has begun. */
  responseStarted: boolean;
  /** The exchange was aborted because the provider sent no data for the idle timeout. */
  timedOut: boolean;
  /** Values that an error message must not contain. */
  secrets: readonly string[];
  /** Host of the proxy through which the provider was asked. */
  proxy: string | null;
}

export interface TransportOptions {
  provider: Provider;
  fetch: Fetch;
  proxyOf(url: URL): string | null;
  /** Chat Completions end with `[DONE]`: a response without it is incomplete, even if its connection closed in order. */
  endsWithDone: boolean;
}

export interface Transport {
  fetch: Fetch;
  exchange: Exchange;
  /** Stops the idle timer. May be called more than once. */
  close(): void;
}

/** A fetch for one exchange, which adds the current API key and aborts when the provider sends no data for the idle timeout. */
export function openTransport(options: TransportOptions): Transport {
  const exchange: Exchange = { responseStarted: false, timedOut: false, secrets: [], proxy: null };
  const timeout = new AbortController();
  const timer = startIdleTimer(options.provider.idleTimeoutMs, () => {
    exchange.timedOut = true;
    timeout.abort();
  });
  const send: Fetch = async (url, init) => {
    const key = await options.provider.apiKey();
    exchange.secrets = [...(key === null ? [] : [key]), ...Object.values(options.provider.headers)];
    exchange.proxy = options.proxyOf(new URL(url instanceof Request ? url.url : url));
    const signals = [timeout.signal, ...(init?.signal ? [init.signal] : [])];
    const response = await options.fetch(url, {
      ...init,
      headers: withKey(options.provider, key, init?.headers),
      signal: AbortSignal.any(signals),
      // A redirect would send the key to another host.
      redirect: "error",
    });
    timer.refresh();
    exchange.responseStarted = response.ok;
    return withIdleTimer(response, timer, options.endsWithDone && response.ok);
  };
  return { fetch: send, exchange, close: timer.stop };
}

/** Only this function sets the key: keys that the AI SDK finds in the process's environment are removed. */
function withKey(provider: Provider, key: string | null, given: RequestInit["headers"]): Headers {
  const headers = new Headers(given);
  headers.delete("authorization");
  headers.delete("x-api-key");
  if (key !== null && provider.kind === "anthropic") headers.set("x-api-key", key);
  else if (key !== null) headers.set("authorization", `Bearer ${key}`);
  for (const [name, value] of Object.entries(provider.headers)) headers.set(name, value);
  return headers;
}

interface IdleTimer {
  refresh(): void;
  stop(): void;
}

function startIdleTimer(milliseconds: number, onTimeout: () => void): IdleTimer {
  const timer = setTimeout(onTimeout, milliseconds);
  return { refresh: () => timer.refresh(), stop: () => clearTimeout(timer) };
}

/** The same response; its body refreshes the timer, and fails if it ends without `[DONE]` where that is required. */
function withIdleTimer(response: Response, timer: IdleTimer, endsWithDone: boolean): Response {
  if (response.body === null) return response;
  const body = response.body.pipeThrough(new TransformStream(monitor(timer, endsWithDone)));
  return new Response(body, {
    status: response.status,
    statusText: response.statusText,
    headers: response.headers,
  });
}

function monitor(timer: IdleTimer, endsWithDone: boolean): Transformer<Uint8Array, Uint8Array> {
  let tail = "";
  return {
    transform(bytes, controller) {
      timer.refresh();
      if (endsWithDone) tail = (tail + Buffer.from(bytes).toString("latin1")).slice(-DONE_MARK_LENGTH);
      controller.enqueue(bytes);
    },
    flush(controller) {
      if (endsWithDone && !/data: ?\[DONE\]\r?\n/.test(tail))
        controller.error(new Error("The stream ended without [DONE]."));
    },
  };
}

const DONE_MARK_LENGTH = 64;
