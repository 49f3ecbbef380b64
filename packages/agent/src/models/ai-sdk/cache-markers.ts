import type { CacheTtl } from "../cache-ttl.ts";
import type { ModelRequest } from "../model.ts";
import type { CallOptions, Prompt, PromptMessage } from "./types.ts";

/** Returns a cache breakpoint. The default, five minutes, is not sent: some servers know no other. */
function breakpoint(ttl: CacheTtl) {
  return { anthropic: { cacheControl: { type: "ephemeral", ...(ttl === "1h" ? { ttl } : {}) } } };
}

/**
 * Sets the cache breakpoints of Anthropic's API: the last tool, the system prompt, the end of the prompt, and
 * the end of the input before it, where the previous request ended. Each request reads the cache that the
 * previous one wrote and extends it. A request that no other continues only reads it, since cache writes cost
 * a quarter more. The API allows four breakpoints, and none of an hour after one of five minutes, so all
 * have the same lifetime. The given options are not modified.
 */
export function withCacheMarkers(
  options: CallOptions,
  { isContinued = true, cacheTtl = "5m" }: Pick<ModelRequest, "isContinued" | "cacheTtl">,
): CallOptions {
  const marker = { providerOptions: breakpoint(cacheTtl) };
  const ends = new Set(inputEnds(options.prompt).slice(-2, isContinued ? undefined : -1));
  return {
    ...options,
    prompt: options.prompt.map((message, index) =>
      message.role === "system" || ends.has(index) ? { ...message, ...marker } : message,
    ),
    ...(options.tools === undefined ? {} : { tools: markLast(options.tools, marker) }),
  };
}

/** Returns the last index of each run of user and tool messages, which the API merges into one. */
function inputEnds(prompt: Prompt): number[] {
  return prompt.flatMap((message, index) => (isInput(message) && !isInput(prompt[index + 1]) ? [index] : []));
}

function isInput(message: PromptMessage | undefined): boolean {
  return message?.role === "user" || message?.role === "tool";
}

function markLast(
  tools: NonNullable<CallOptions["tools"]>,
  marker: { providerOptions: ReturnType<typeof breakpoint> },
): NonNullable<CallOptions["tools"]> {
  const last = tools.at(-1);
  return last?.type === "function" ? [...tools.slice(0, -1), { ...last, ...marker }] : tools;
}
