import type { Reasoning } from "../ai-sdk/dialect.ts";
import type { ProviderKind } from "../ai-sdk/provider.ts";

/** Older models of OpenAI, which reject a reasoning effort. */
const PLAIN_OPENAI = /(^|[^a-z0-9])(gpt-?[34](?!\d)|chatgpt|gpt-5-chat)/i;
/** Models that think within a budget of tokens. Newer ones decide themselves, by the effort. */
const BUDGETED_CLAUDE = /claude-(3|instant|v?2|(opus|sonnet|haiku)-4(?![-.][6-9]))/i;

/**
 * How a model reasons, where the models file does not say. By a name that is a gateway's or a deployment's own it is taken for a
 * current one. Servers other than Anthropic's that speak its protocol know budgets only.
 */
export function knownReasoning(kind: ProviderKind, model: string): Reasoning {
  if (kind === "anthropic")
    return /claude/i.test(model) && !BUDGETED_CLAUDE.test(model) ? "adaptive" : "budget";
  return kind === "openai" && PLAIN_OPENAI.test(model) ? "none" : "effort";
}
