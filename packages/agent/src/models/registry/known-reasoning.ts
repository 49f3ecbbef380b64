import type { Reasoning } from "../ai-sdk/dialect.ts";
import type { ProviderKind } from "../ai-sdk/provider.ts";

/** Older OpenAI models, which reject a reasoning effort. */
const PLAIN_OPENAI = /(^|[^a-z0-9])(gpt-?[34](?!\d)|chatgpt|gpt-5-chat)/i;
/** Models that think within a budget of tokens. Newer models choose by the effort. */
const BUDGETED_CLAUDE = /claude-(3|instant|v?2|(opus|sonnet|haiku)-4(?![-.][6-9]))/i;

/**
 * Returns how a model reasons, for models of which the models file does not say. Unknown names, such as a
 * gateway's or a deployment's own, count as current models. Servers other than Anthropic's that implement its
 * protocol support only budgets.
 */
export function knownReasoning(kind: ProviderKind, model: string): Reasoning {
  if (kind === "anthropic")
    return /claude/i.test(model) && !BUDGETED_CLAUDE.test(model) ? "adaptive" : "budget";
  return kind === "openai" && PLAIN_OPENAI.test(model) ? "none" : "effort";
}
