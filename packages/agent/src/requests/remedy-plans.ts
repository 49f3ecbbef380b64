import type { History } from "../history/history.ts";
import { type Omission, omitFrom } from "../history/omission.ts";
import { estimateTokens } from "../models/estimate-tokens.ts";
import type { ModelError, ModelMessage } from "../models/model.ts";
import { namedCause, type SentRequest } from "./named-cause.ts";

/** The remedy for a rejected request: its history is summarised first, or it is sent with omissions. */
export type RemedyPlan = "summarise" | readonly Omission[];

/** A rejected request and what it was made from. */
export interface Rejection {
  error: ModelError;
  /** The number of requests rejected since the last response, including this one. */
  count: number;
  /** Whether the error equals the previous one: what it names is not the cause. */
  isRepeated: boolean;
  /** Whether the history was summarised since the last response because a request was rejected. */
  isSummarised: boolean;
  history: History;
  sent: SentRequest;
  /** The remedy that the request was sent with; null for the first request. */
  plan: RemedyPlan | null;
  /** Digests, by name, of the tools that are not the service's own. */
  foreignTools: Readonly<Record<string, string>>;
  /** The estimated tokens that the messages of the next request may have. */
  budget: number;
}

/** Tokens below which a summary is not worth its cost. */
const MIN_SUMMARISED_TOKENS = 500;
const MIN_NEWEST_CHARACTERS = 400;
const ALL_MEDIA: Omission = { of: "media", types: ["image", "document"], from: 0 };

/** Omits what a summary does not need. */
export const NOT_TEXT: readonly Omission[] = [ALL_MEDIA, { of: "thinking" }];

/**
 * Returns the remedies to try after a rejection, the likeliest first; each changes what is sent. After the
 * third rejection only the user's newest message is left of the history, so that the fourth request succeeds
 * whatever the cause is.
 */
export function remedyPlans(rejection: Rejection): RemedyPlan[] {
  const steps = isTooLarge(rejection) ? stepsForSize(rejection) : stepsForContent(rejection);
  // A summary counts as one of the steps, since it leaves little to omit.
  const done = rejection.count - 1 + (rejection.isSummarised ? 1 : 0);
  return steps.slice(done).flatMap((plans) =>
    plans.flatMap((plan) => {
      const effective = effectivePart(plan, rejection);
      return effective === null ? [] : [effective];
    }),
  );
}

/** Returns whether the request was too large: the provider says so, or a remedy for size was rejected. */
function isTooLarge({ error, plan }: Rejection): boolean {
  return error.overflow?.certain === true || plan === "summarise" || isSmaller(plan);
}

/** Returns whether a plan limits the size of the history, so that it needs no summary. */
export function isSmaller(plan: RemedyPlan | null): boolean {
  if (plan === null || plan === "summarise") return false;
  return plan.some(({ of }) => of === "size" || of === "messages");
}

function stepsForSize(rejection: Rejection): RemedyPlan[][] {
  const { budget, sent } = rejection;
  return [
    isMostlyMedia(sent.messages) ? [[ALL_MEDIA], "summarise"] : ["summarise"],
    [[...NOT_TEXT, { of: "size", budget }]],
    ...lastSteps(rejection),
  ];
}

function stepsForContent(rejection: Rejection): RemedyPlan[][] {
  const { error, history, sent, plan, foreignTools } = rejection;
  const named = namedBy(rejection) ?? [];
  const before = plan === null || plan === "summarise" ? [] : plan;
  const wasNotText = before.length > 0 && before.every((omission) => NOT_TEXT.includes(omission));
  const tools: Omission = { of: "tools", digests: foreignTools };
  const maySuggestSize = error.overflow !== null && estimateTokens(sent.messages) >= MIN_SUMMARISED_TOKENS;
  const round: Omission[] = history.accepted > 0 ? [{ of: "round", from: history.accepted - 1 }] : [];
  return [
    [named, ...(maySuggestSize ? (["summarise"] as const) : []), round, NOT_TEXT, [tools]],
    [named.length === 0 ? [] : [...before, ...named], wasNotText ? [tools] : [...NOT_TEXT, tools]],
    ...lastSteps(rejection),
  ];
}

function namedBy({ error, isRepeated, count, history, sent, foreignTools }: Rejection): Omission[] | null {
  if (isRepeated) return null;
  return namedCause(error.message, sent, history.accepted, count > 1 ? foreignTools : null);
}

function lastSteps({ error, history, foreignTools, budget, sent }: Rejection): RemedyPlan[][] {
  const tools: Omission = { of: "tools", digests: foreignTools };
  const isForSize = error.overflow !== null;
  const maxLength = isForSize
    ? Math.max(MIN_NEWEST_CHARACTERS, 4 * budget)
    : Math.max(MIN_NEWEST_CHARACTERS, history.newestMessage.length);
  const messages: Omission = { of: "messages", maxLength, forgets: !isForSize };
  const isMostlyTools = isForSize && JSON.stringify(sent.tools).length / 4 > budget;
  return [isMostlyTools ? [[messages, tools]] : [[messages]], [[messages, tools]]];
}

function isMostlyMedia(messages: readonly ModelMessage[]): boolean {
  const without = omitFrom(messages, [ALL_MEDIA], "").messages;
  return JSON.stringify(without).length * 2 < JSON.stringify(messages).length;
}

/** Returns a plan without the omissions that change nothing; null when none is left. */
function effectivePart(plan: RemedyPlan, { error, history }: Rejection): RemedyPlan | null {
  if (plan === "summarise") {
    const isWorthIt =
      error.overflow?.certain === true || estimateTokens(history.messages) >= MIN_SUMMARISED_TOKENS;
    return isWorthIt && !history.compacted ? plan : null;
  }
  const effective = plan.filter((omission) => changesWhatIsSent(omission, history));
  return effective.length === 0 ? null : effective;
}

function changesWhatIsSent(omission: Omission, { messages, newestMessage }: History): boolean {
  if (omission.of === "tools") return Object.keys(omission.digests).length > 0;
  if (omission.of === "messages")
    return (
      messages.length > 1 ||
      (messages[0]?.content.length ?? 0) > 1 ||
      newestMessage.length > omission.maxLength
    );
  return (
    omitFrom(messages, [omission], newestMessage).omitted.size > 0 ||
    isShortened(omission, messages, newestMessage)
  );
}

function isShortened(omission: Omission, messages: readonly ModelMessage[], newest: string): boolean {
  if (omission.of !== "size") return false;
  return estimateTokens(omitFrom(messages, [omission], newest).messages) < estimateTokens(messages);
}
