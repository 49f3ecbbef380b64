import type { Transformer } from "node:stream/web";
import type { Provider } from "./provider.ts";

export type Fetch = typeof globalThis.fetch;

/** What was seen of one exchange, for the sake of its errors. */
export interface Exchange {
  /** The answer began: it was accepted with a status of success. */
  responseStarted: boolean;
  /** The provider sent nothing for too long, and the exchange was ended for it. */
  idle: boolean;
  /** What an error must never repeat. */
  secrets: readonly string[];
}

export interface TransportOptions {
  provider: Provider;
  fetch: Fetch;
  /** Chat Completions end with `[DONE]`. A connection that closes before it was cut, however cleanly it closed. */
  endsWithDone: boolean;
}

export interface Transport {
  fetch: Fetch;
  exchange: Exchange;
  /** Ends the watch. Safe twice. */
  close(): void;
}

/** A fetch for one exchange: signs it with the key of this moment and ends it when the provider falls silent. */
export function openTransport(options: TransportOptions): Transport {
  const exchange: Exchange = { responseStarted: false, idle: false, secrets: [] };
  const silence = new AbortController();
  const watch = startIdleTimer(options.provider.idleTimeoutMs, () => {
    exchange.idle = true;
    silence.abort();
  });
  const send: Fetch = async (url, init) => {
    const key = await options.provider.apiKey();
    exchange.secrets = [...(key === null ? [] : [key]), ...Object.values(options.provider.headers)];
    const signals = [silence.signal, ...(init?.signal ? [init.signal] : [])];
    const response = await options.fetch(url, {
      ...init,
      headers: signed(options.provider, key, init?.headers),
      signal: AbortSignal.any(signals),
      // A redirect would carry the key to wherever it points.
      redirect: "error",
    });
    watch.touch();
    exchange.responseStarted = response.ok;
    return withIdleTimer(response, watch, options.endsWithDone && response.ok);
  };
  return { fetch: send, exchange, close: watch.stop };
}

/** The key is set here alone: what the AI SDK would find in the process's environment goes nowhere. */
function signed(provider: Provider, key: string | null, given: RequestInit["headers"]): Headers {
  const headers = new Headers(given);
  headers.delete("authorization");
  headers.delete("x-api-key");
  if (key !== null && provider.kind === "anthropic") headers.set("x-api-key", key);
  else if (key !== null) headers.set("authorization", `Bearer ${key}`);
  for (const [name, value] of Object.entries(provider.headers)) headers.set(name, value);
  return headers;
}

interface IdleTimer {
  touch(): void;
  stop(): void;
}

function startIdleTimer(milliseconds: number, onSilence: () => void): IdleTimer {
  const timer = setTimeout(onSilence, milliseconds);
  return { touch: () => timer.refresh(), stop: () => clearTimeout(timer) };
}

/** The same response, whose body keeps the watch awake and fails where it ends without its end mark. */
function withIdleTimer(response: Response, watch: IdleTimer, endsWithDone: boolean): Response {
  if (response.body === null) return response;
  const body = response.body.pipeThrough(new TransformStream(bodyWatcher(watch, endsWithDone)));
  return new Response(body, {
    status: response.status,
    statusText: response.statusText,
    headers: response.headers,
  });
}

function bodyWatcher(watch: IdleTimer, endsWithDone: boolean): Transformer<Uint8Array, Uint8Array> {
  let tail = "";
  return {
    transform(bytes, controller) {
      watch.touch();
      if (endsWithDone) tail = (tail + Buffer.from(bytes).toString("latin1")).slice(-DONE_MARK_LENGTH);
      controller.enqueue(bytes);
    },
    flush(controller) {
      if (endsWithDone && !/data: ?\[DONE\]\r?\n/.test(tail))
        controller.error(new Error("The stream has no end mark."));
    },
  };
}

const DONE_MARK_LENGTH = 64;
