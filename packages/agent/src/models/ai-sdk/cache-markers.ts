import type { CallOptions, Prompt, PromptMessage } from "./types.ts";

const BREAKPOINT = { anthropic: { cacheControl: { type: "ephemeral" } } } as const;

/**
 * Sets the cache breakpoints of Anthropic's API: the last tool, the system prompt, the end of the prompt, and the end of the
 * input before it, where the previous request ended. Each request reads the cache that the previous one wrote and extends it;
 * one that no other continues only reads it, since what is written costs a quarter more. The API allows four breakpoints. The given
 * options are not modified.
 */
export function withCacheMarkers(options: CallOptions, isContinued = true): CallOptions {
  const ends = new Set(inputEnds(options.prompt).slice(-2, isContinued ? undefined : -1));
  return {
    ...options,
    prompt: options.prompt.map((message, index) =>
      message.role === "system" || ends.has(index) ? { ...message, providerOptions: BREAKPOINT } : message,
    ),
    ...(options.tools === undefined ? {} : { tools: markLast(options.tools) }),
  };
}

/** The last message of each run of user and tool messages, which the API merges into one. */
function inputEnds(prompt: Prompt): number[] {
  return prompt.flatMap((message, index) => (isInput(message) && !isInput(prompt[index + 1]) ? [index] : []));
}

function isInput(message: PromptMessage | undefined): boolean {
  return message?.role === "user" || message?.role === "tool";
}

function markLast(tools: NonNullable<CallOptions["tools"]>): NonNullable<CallOptions["tools"]> {
  const last = tools.at(-1);
  return last?.type === "function"
    ? [...tools.slice(0, -1), { ...last, providerOptions: BREAKPOINT }]
    : tools;
}
