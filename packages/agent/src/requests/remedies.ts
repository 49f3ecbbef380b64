import type { History } from "../history/history.ts";
import type { Draft } from "../history/log-entry.ts";
import { type Omission, type Omitted, omitFrom } from "../history/omission.ts";
import { estimatePrefixTokens, estimateTokens } from "../models/estimate-tokens.ts";
import type { ModelError, ModelMessage } from "../models/model.ts";
import type { RequestPrefix } from "./context-window.ts";
import type { LearnedWindow } from "./learned-window.ts";
import { namedCause } from "./named-cause.ts";
import { offeredTools, toolDigest } from "./offered-tools.ts";
import { isSmaller, NOT_TEXT, type RemedyPlan, remedyPlans } from "./remedy-plans.ts";

/** The part of a history that is sent. */
export interface Sendable {
  prefix: RequestPrefix;
  messages: readonly ModelMessage[];
  omitted: Omitted;
}

const MAX_EMPTY_SUMMARIES = 2;
const NO_SUMMARY = "The model wrote no summary of the conversation.";

/**
 * Finds what to leave out when the provider permanently rejects a request, so that no content of the log can
 * end a session. When the shortened request succeeds, an event that is appended with the response makes the
 * omission permanent. An omission that did not help is undone.
 */
export class Remedies {
  readonly #prefix: RequestPrefix;
  readonly #window: LearnedWindow;
  readonly #foreignTools: Readonly<Record<string, string>>;
  #refusals: ModelError[] = [];
  #plan: RemedyPlan | null = null;
  readonly #tried = new Set<string>();
  #emptySummaries = 0;
  #isSummarised = false;

  /** @param foreignTools names of the tools that are not the service's own. */
  constructor(prefix: RequestPrefix, window: LearnedWindow, foreignTools: ReadonlySet<string>) {
    this.#prefix = prefix;
    this.#window = window;
    const foreign = prefix.tools.filter(({ name }) => foreignTools.has(name));
    this.#foreignTools = Object.fromEntries(foreign.map((tool) => [tool.name, toolDigest(tool)]));
  }

  /** Whether the next request asks for a summary; null when the size of the history decides. */
  get summarises(): boolean | null {
    if (this.#plan === "summarise") return true;
    return isSmaller(this.#plan) ? false : null;
  }

  /** Returns what is sent of a history, with the remedy that is being tried. */
  sendable(history: History): Sendable {
    const { messages, omitted } = omitFrom(history.messages, this.#omissions, history.newestMessage);
    const rejected = this.#omissions.map((one) => (one.of === "tools" ? one.digests : {}));
    const tools = offeredTools(this.#prefix.tools, Object.assign({}, history.omittedTools, ...rejected));
    return { prefix: { ...this.#prefix, tools }, messages, omitted };
  }

  /** Returns the messages to summarise, and their maximum tokens. After a rejection they are only text. */
  toSummarise(history: History, sent: Sendable): { messages: readonly ModelMessage[]; budget: number } {
    const budget = this.#window.budget(history, sent.prefix, this.#refusals.length);
    if (this.#refusals.length === 0) return { messages: sent.messages, budget };
    return { messages: omitFrom(sent.messages, NOT_TEXT, history.newestMessage).messages, budget };
  }

  /**
   * Returns whether an error that retries did not fix counts as a rejection. Some servers answer 500 for an
   * image or a tool that they do not accept. The error must name something that the request has. Only the
   * first such error counts, since a failing provider may name anything.
   */
  isRejection(error: ModelError, history: History, sent: Sendable): boolean {
    if (error.rejected) return true;
    const request = { ...sent.prefix, messages: sent.messages };
    return this.#refusals.length === 0 && namedCause(error.message, request, history.accepted, null) !== null;
  }

  /** Handles a rejection. Returns the error that ends the turn, or null to try another remedy. */
  rejected(error: ModelError, history: History, sent: Sendable): ModelError | null {
    const isRepeated = this.#refusals.at(-1)?.message === error.message;
    this.#refusals.push(error);
    this.#window.learn(error, estimatePrefixTokens(sent.prefix) + estimateTokens(sent.messages), history);
    const plans = remedyPlans({
      error,
      count: this.#refusals.length,
      isRepeated,
      isSummarised: this.#isSummarised,
      history,
      sent: { ...sent.prefix, messages: sent.messages },
      plan: this.#plan,
      foreignTools: this.#offeredForeignTools(history),
      budget: this.#window.budget(history, sent.prefix, this.#refusals.length),
    });
    const next = plans.find((plan) => !this.#tried.has(JSON.stringify(plan)));
    if (next === undefined) return this.#refusals[0] ?? error;
    this.#plan = next;
    this.#tried.add(JSON.stringify(next));
    return null;
  }

  /** Handles a response without a summary. After a second one, the oldest results are cut instead. */
  noSummary(history: History, sent: Sendable): void {
    this.#emptySummaries += 1;
    if (this.#emptySummaries < MAX_EMPTY_SUMMARIES) return;
    const budget = Math.floor(this.#window.budget(history, sent.prefix, this.#refusals.length) / 2);
    this.#plan = [...this.#omissions, { of: "size", budget }];
  }

  /** Returns the event that records the omissions of a successful request; empty if nothing was left out. */
  drafts(history: History, { omitted }: Sendable): Draft[] {
    const omissions = this.#omissions;
    if (omissions.length === 0) return [];
    const names = omissions.flatMap((one) => (one.of === "tools" ? Object.keys(one.digests) : []));
    const learned = this.#window.news(history);
    const window = learned === null ? {} : { context_window: learned };
    const event = {
      type: "agent.content_omitted" as const,
      reason: this.#refusals[0]?.message ?? NO_SUMMARY,
      omitted: [...omitted].map(([type, count]) => ({ type, count, ...(type === "tool" ? { names } : {}) })),
      ...window,
    };
    return [{ event, memo: { omissions, ...window } }];
  }

  /** Records that a summary is in the log. Later rejections continue the same series. */
  summarised(): void {
    this.#isSummarised = this.#refusals.length > 0;
    this.#plan = null;
  }

  /** Resets the state when a response is in the log. */
  answered(): void {
    this.#refusals = [];
    this.#isSummarised = false;
    this.#plan = null;
    this.#tried.clear();
    this.#emptySummaries = 0;
  }

  #offeredForeignTools({ omittedTools }: History): Readonly<Record<string, string>> {
    const offered = Object.entries(this.#foreignTools).filter(
      ([name, digest]) => omittedTools[name] !== digest,
    );
    return Object.fromEntries(offered);
  }

  get #omissions(): readonly Omission[] {
    return this.#plan === null || this.#plan === "summarise" ? [] : this.#plan;
  }
}
