import { orAborted } from "@berth/concurrency";
import type { ModelUsage } from "@berth/contract";
import type { ListPrice } from "../list-price.ts";
import type { Model, ModelPart, ModelRequest } from "../model.ts";
import type { TokenPrices } from "../token-prices.ts";
import { DIALECTS, type DialectModel } from "./dialect.ts";
import { endingOf } from "./finish-reason.ts";
import { interruptedStream, toModelError, windowExceeded } from "./model-errors.ts";
import type { Provider } from "./provider.ts";
import { withOwnFields } from "./reasoning-field.ts";
import { ResponseBuilder } from "./response-builder.ts";
import type { StreamNotes } from "./stream/event-rules.ts";
import { type Fetch, openTransport } from "./transport.ts";
import type { FinishPart, StreamPart } from "./types.ts";

export interface AiSdkModelOptions extends DialectModel {
  /** `provider/model`. */
  id: string;
  provider: Provider;
  contextWindow: number;
  prices: TokenPrices;
  listPrice?: ListPrice | null;
  /** Default: the global fetch. */
  fetch?: Fetch;
  /** See `ModelRegistryOptions`. */
  proxyOf?: (url: URL) => string | null;
}

/**
 * Creates a model that uses a provider of the AI SDK, at the level below the SDK's own tool loop and retries:
 * one call is one request. Blocks are yielded only after the provider has said that the response is complete.
 */
export function createAiSdkModel(options: AiSdkModelOptions): Model {
  return {
    id: options.id,
    contextWindow: options.contextWindow,
    maxOutputTokens: options.maxOutputTokens,
    prices: options.prices,
    listPrice: options.listPrice ?? null,
    cacheLifetimeMs: options.provider.cacheLifetimeMs,
    hasHourCache: options.provider.hasHourCache,
    stream: (...given) => stream(options, ...given),
  };
}

async function* stream(
  options: AiSdkModelOptions,
  request: ModelRequest,
  signal: AbortSignal,
  onSend: () => void = () => {},
): AsyncGenerator<ModelPart> {
  signal.throwIfAborted();
  const { provider } = options;
  const dialect = DIALECTS[provider.kind];
  const transport = openTransport({
    provider,
    fetch: options.fetch ?? globalThis.fetch,
    proxyOf: options.proxyOf ?? (() => null),
    events: dialect.events,
    endsWithDone: dialect.endsWithDone,
    onSend,
  });
  const hangUp = new AbortController();
  const response = new ResponseBuilder();
  try {
    const connection = {
      provider: provider.name,
      baseUrl: provider.baseUrl,
      model: options.upstreamModel,
      fetch: transport.fetch,
    };
    const model = await dialect.open(connection);
    const abortSignal = AbortSignal.any([signal, hangUp.signal]);
    const call = model.doStream({ ...dialect.callOptions(request, limited(options, request)), abortSignal });
    const reader = (await orAborted(call, signal)).stream.getReader();
    const finish = yield* readToFinish(reader, response, signal);
    if (finish === null || finish.finishReason.unified === "interrupted")
      throw interruptedStream(provider.name);
    const { finishReason } = transport.exchange;
    const reason = endingOf(finishReason, response.hasToolCalls());
    if (reason === null) throw interruptedStream(provider.name, finishReason);
    if (reason === "window") throw windowExceeded(provider.name);
    const blocks = withOwnFields(response.blocks(reason), transport.exchange, provider.name);
    await readToEnd(reader);
    for (const block of blocks) yield { type: "block", ...block };
    yield { type: "finish", reason, usage: usageOf(finish, transport.exchange) };
  } catch (error) {
    signal.throwIfAborted();
    throw toModelError(error, provider.name, transport.exchange);
  } finally {
    hangUp.abort();
    transport.close();
  }
}

/** Returns the settings with the request's own output limit, which leaves room beside a fixed budget to think. */
function limited<Options extends DialectModel>(options: Options, { maxOutputTokens }: ModelRequest): Options {
  if (maxOutputTokens === undefined || maxOutputTokens >= options.maxOutputTokens) return options;
  const { thinking } = options;
  if (thinking === null || typeof thinking === "string") return { ...options, maxOutputTokens };
  const budget_tokens = Math.min(thinking.budget_tokens, Math.max(1_024, Math.floor(maxOutputTokens / 2)));
  return { ...options, maxOutputTokens, thinking: { budget_tokens } };
}

type Reader = ReadableStreamDefaultReader<StreamPart>;

async function* readToFinish(
  reader: Reader,
  response: ResponseBuilder,
  signal: AbortSignal,
): AsyncGenerator<ModelPart, FinishPart | null> {
  for (;;) {
    const { done, value: part } = await orAborted(reader.read(), signal);
    if (done) return null;
    if (part.type === "error") throw part.error;
    if (part.type === "finish") return part;
    const visible = response.add(part);
    if (visible !== null) yield visible;
  }
}

/**
 * Reads the rest of the response, for 250 ms at most. It has no more content, but a connection can be reused
 * only when it was read to its end.
 */
async function readToEnd(reader: Reader): Promise<void> {
  const timeout = Promise.withResolvers<void>();
  const timer = setTimeout(timeout.resolve, 250);
  const end = (async () => {
    while (!(await reader.read()).done);
  })();
  await Promise.race([end.catch(() => {}), timeout.promise]);
  clearTimeout(timer);
}

function usageOf(
  { usage: { inputTokens, outputTokens } }: FinishPart,
  { writtenForHour }: Pick<StreamNotes, "writtenForHour">,
): ModelUsage {
  const read = inputTokens.cacheRead ?? 0;
  const written = inputTokens.cacheWrite ?? 0;
  return {
    input_tokens: inputTokens.noCache ?? Math.max(0, (inputTokens.total ?? 0) - read - written),
    output_tokens: outputTokens.total ?? 0,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written,
    ...(writtenForHour > 0 ? { cache_creation_1h_input_tokens: Math.min(writtenForHour, written) } : {}),
  };
}
