import type { Provider } from "./provider.ts";
import type { EventRules, StreamNotes } from "./stream/event-rules.ts";
import { eventStream } from "./stream/read-stream.ts";

export type Fetch = typeof globalThis.fetch;

/** The state of one HTTP exchange, to describe its errors. */
export interface Exchange extends StreamNotes {
  /** A response with a success status has begun. */
  responseStarted: boolean;
  /** The exchange was aborted because the provider sent no data for the idle timeout. */
  timedOut: boolean;
  /** What the server reported as a failure after a success status: within its stream, or as the whole body. */
  failure: { body: unknown; isWhole: boolean } | null;
  /** Values that an error message must not contain. */
  secrets: readonly string[];
  /** Host of the proxy through which the provider was asked. */
  proxy: string | null;
}

export interface TransportOptions {
  provider: Provider;
  fetch: Fetch;
  proxyOf(url: URL): string | null;
  events: EventRules;
  /** Chat Completions end with a finish reason, mostly followed by `[DONE]`: a response without either is incomplete. */
  endsWithDone: boolean;
  /** Called when the request is built. */
  onSend(): void;
}

export interface Transport {
  fetch: Fetch;
  exchange: Exchange;
  /** Stops the idle timer. May be called more than once. */
  close(): void;
}

/** A fetch for one exchange, which adds the current API key and aborts when the provider sends no data for the idle timeout. */
export function openTransport(options: TransportOptions): Transport {
  const exchange: Exchange = {
    responseStarted: false,
    timedOut: false,
    failure: null,
    finishReason: null,
    writtenForHour: 0,
    reasoningField: null,
    reasoningDetails: [],
    secrets: [],
    proxy: null,
  };
  const timeout = new AbortController();
  const timer = startIdleTimer(options.provider.idleTimeoutMs, () => {
    exchange.timedOut = true;
    timeout.abort();
  });
  const send: Fetch = async (url, init) => {
    options.onSend();
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
    return response.ok ? readable(response, timer, exchange, options) : withIdleTimer(response, timer);
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

/** The same response; its body refreshes the timer. */
function withIdleTimer(response: Response, timer: IdleTimer): Response {
  const refresh = new TransformStream<Uint8Array, Uint8Array>({
    transform(bytes, controller) {
      timer.refresh();
      controller.enqueue(bytes);
    },
  });
  return withBody(response, refresh);
}

/** A success as the AI SDK can read it; what it cannot is noted in the exchange. */
function readable(
  response: Response,
  timer: IdleTimer,
  exchange: Exchange,
  options: TransportOptions,
): Response {
  const transformer = eventStream({
    read: options.events(exchange),
    onData: timer.refresh,
    onFailure(failure) {
      exchange.failure = failure;
    },
    lacks: ({ done }) =>
      options.endsWithDone && !done && exchange.finishReason === null ? "a finish reason" : null,
  });
  return withBody(response, new TransformStream(transformer));
}

function withBody(response: Response, through: TransformStream<Uint8Array, Uint8Array>): Response {
  if (response.body === null) return response;
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(through), { status, statusText, headers });
}
