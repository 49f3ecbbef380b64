import type { CallOptions, Prompt, PromptMessage } from "./types.ts";

const marker = { anthropic: { cacheControl: { type: "ephemeral" } } } as const;

/**
 * Marks where Anthropic shall cache: the last tool, the system prompt, the end of the prompt, and the end of the input
 * before it, which is where the request before this one ended. So each request reads what the one before it wrote, and
 * writes for the next. These are the four markers that the API allows. The history given stays as it is.
 */
export function withCacheMarkers(options: CallOptions): CallOptions {
  const ends = new Set(inputEnds(options.prompt).slice(-2));
  return {
    ...options,
    prompt: options.prompt.map((message, index) =>
      message.role === "system" || ends.has(index) ? { ...message, providerOptions: marker } : message,
    ),
    ...(options.tools === undefined ? {} : { tools: markLast(options.tools) }),
  };
}

/** The last message of each run of user and tool messages: the API sees such a run as one message. */
function inputEnds(prompt: Prompt): number[] {
  return prompt.flatMap((message, index) => (isInput(message) && !isInput(prompt[index + 1]) ? [index] : []));
}

function isInput(message: PromptMessage | undefined): boolean {
  return message?.role === "user" || message?.role === "tool";
}

function markLast(tools: NonNullable<CallOptions["tools"]>): NonNullable<CallOptions["tools"]> {
  const last = tools.at(-1);
  return last?.type === "function" ? [...tools.slice(0, -1), { ...last, providerOptions: marker }] : tools;
}
