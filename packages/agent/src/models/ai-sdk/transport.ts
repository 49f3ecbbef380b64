import type { Provider } from "./provider.ts";
import type { EventRules, StreamNotes } from "./stream/event-rules.ts";
import { eventStream } from "./stream/read-stream.ts";

export type Fetch = typeof globalThis.fetch;

/** The state of one HTTP exchange, from which its errors are described. */
export interface Exchange extends StreamNotes {
  /** Whether a response with a success status has begun. */
  responseStarted: boolean;
  /** Whether the exchange was aborted because the provider sent no data for the idle timeout. */
  timedOut: boolean;
  /** A failure that the server reported after a success status: within its stream, or as the whole body. */
  failure: { body: unknown; isWhole: boolean } | null;
  /** Values that an error message must not contain. */
  secrets: readonly string[];
  /** Host of the outgoing proxy; null when there is none. */
  proxy: string | null;
}

export interface TransportOptions {
  provider: Provider;
  fetch: Fetch;
  proxyOf(url: URL): string | null;
  events: EventRules;
  /**
   * Whether the stream ends with a finish reason, mostly followed by `[DONE]`, as Chat Completions do. A
   * response without either is incomplete then.
   */
  endsWithDone: boolean;
  /** Called when the request is built. */
  onSend(): void;
}

/** A fetch for one request to a provider, and the state of its exchange. */
export interface Transport {
  fetch: Fetch;
  exchange: Exchange;
  /** Stops the idle timer. May be called more than once. */
  close(): void;
}

/**
 * Creates a fetch for one exchange, which adds the current API key and aborts when the provider sends no data
 * for the idle timeout.
 */
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

/** Returns the headers with the provider's key, instead of any that the AI SDK found in the environment. */
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

/** Returns the response with a body that refreshes the timer. */
function withIdleTimer(response: Response, timer: IdleTimer): Response {
  const refresh = new TransformStream<Uint8Array, Uint8Array>({
    transform(bytes, controller) {
      timer.refresh();
      controller.enqueue(bytes);
    },
  });
  return withBody(response, refresh);
}

/** Rewrites a successful response for the AI SDK; records in the exchange what that form cannot express. */
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
