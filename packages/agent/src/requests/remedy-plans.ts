import type { History } from "../history/history.ts";
import { type Omission, omitFrom } from "../history/omission.ts";
import { estimateTokens } from "../models/estimate-tokens.ts";
import type { ModelError, ModelMessage } from "../models/model.ts";
import { namedCause, type SentRequest } from "./named-cause.ts";

/** What is done about a request that was rejected: its history is summarised first, or it is sent without something. */
export type RemedyPlan = "summarise" | readonly Omission[];

/** A request that was rejected, and what it was made of. */
export interface Rejection {
  error: ModelError;
  /** How many requests were rejected since the last response, this one included. */
  count: number;
  /** The answer is that of the rejection before: what it names is not the cause. */
  isRepeated: boolean;
  /** The history was summarised since the last response because a request was rejected. */
  isSummarised: boolean;
  history: History;
  sent: SentRequest;
  /** The remedy with which it was sent; null for the first one. */
  plan: RemedyPlan | null;
  /** Digests by name of the tools that are not the service's own. */
  foreignTools: Readonly<Record<string, string>>;
  /** Tokens by estimate that the messages of the next request may have. */
  budget: number;
}

/** Less than this is not worth a summary. */
const MIN_SUMMARISED_TOKENS = 500;
const MIN_NEWEST_CHARACTERS = 400;
const ALL_MEDIA: Omission = { of: "media", types: ["image", "document"], from: 0 };

/** What a summary can be made without. */
export const NOT_TEXT: readonly Omission[] = [ALL_MEDIA, { of: "thinking" }];

/**
 * What to try after a rejection, the likeliest first; each changes what is sent. After the third rejection nothing is left of the
 * history but the user's newest message, so that the fourth request is answered whatever the cause is.
 */
export function remedyPlans(rejection: Rejection): RemedyPlan[] {
  const steps = isTooLarge(rejection) ? stepsForSize(rejection) : stepsForContent(rejection);
  // A summary took the place of one of the steps, and has left little to leave out.
  const done = rejection.count - 1 + (rejection.isSummarised ? 1 : 0);
  return steps.slice(done).flatMap((plans) =>
    plans.flatMap((plan) => {
      const effective = effectivePart(plan, rejection);
      return effective === null ? [] : [effective];
    }),
  );
}

/** The provider says so, or the request that the remedy for that made was rejected in its turn. */
function isTooLarge({ error, plan }: Rejection): boolean {
  return error.overflow?.certain === true || plan === "summarise" || isSmaller(plan);
}

/** Whether a plan makes do with a history of a certain size, so that it needs no summary. */
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

/** A plan without the omissions that change nothing; null when none is left. */
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
