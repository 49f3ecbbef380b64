import { createHash } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { estimatePrefixTokens, estimateTokens } from "../estimate-tokens.ts";
import {
  type AssistantBlock,
  type Model,
  ModelError,
  type ModelErrorKind,
  type ModelPart,
  type ModelRequest,
} from "../model.ts";
import {
  previousResult,
  type ResponseSteps,
  remainingResponses,
  summaryResponse,
  unmetExpectation,
} from "./remaining-steps.ts";
import type { Call } from "./steps.ts";

export interface RehearsalOptions {
  /** Tokens; default 200,000. */
  contextWindow?: number;
  /** Tokens; default an eighth of the window, at most 8,192. */
  maxOutputTokens?: number;
  /** For `wait_ms`; rejects with the signal's reason. */
  sleep?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/**
 * A model that costs nothing and thinks nothing: it follows the steps in the newest user message, which proves an
 * installation and drives tests. Any other message is answered by a sentence that explains the form.
 *
 * It keeps nothing between calls: which step is next follows from the answers in the history, and how often a `fail`
 * step has failed from `failedAttempts`, so that it goes on after a crash, too. A request answers with what is said up
 * to the next step that calls tools, and with those calls, since an answer without a call would end the turn; `wait_ms`
 * and `fail` happen on the way. The turn ends in silence when the last step called tools.
 */
export function createRehearsalModel(options: RehearsalOptions = {}): Model {
  const contextWindow = options.contextWindow ?? 200_000;
  const sleep = options.sleep ?? ((milliseconds, signal) => setTimeout(milliseconds, undefined, { signal }));
  return {
    id: "rehearsal/steps",
    contextWindow,
    maxOutputTokens: options.maxOutputTokens ?? Math.min(8_192, Math.floor(contextWindow / 8)),
    stream: (request, signal) => stream(request, signal, sleep),
  };
}

const explanation =
  'This is the rehearsal model: it follows steps and thinks nothing. Send it JSON, alone or in a fenced json block, such as {"steps": [{"tool": "Bash", "input": {"command": "pwd"}}, {"say": "Done."}]}; a step may also be {"tools": […]}, {"fail": "overloaded", "times": 2} or {"wait_ms": 50}, and may carry "expect", a text that the previous result must contain.';

async function* stream(
  request: ModelRequest,
  signal: AbortSignal,
  sleep: (milliseconds: number, signal: AbortSignal) => Promise<unknown>,
): AsyncGenerator<ModelPart> {
  const blocks: AssistantBlock[] = [];
  for await (const part of answer(request, signal, sleep)) {
    signal.throwIfAborted();
    yield { ...part, blockIndex: blocks.length };
    if (part.type === "block") blocks.push(part.block);
  }
  const calls = blocks.some((block) => block.type === "tool_call");
  yield { type: "finish", reason: calls ? "tool_calls" : "end_turn", usage: usageOf(request, blocks) };
}

/** Its blockIndex is that of the block to come. */
type Part = { type: "text_delta"; text: string } | { type: "block"; block: AssistantBlock };

async function* answer(
  request: ModelRequest,
  signal: AbortSignal,
  sleep: (milliseconds: number, signal: AbortSignal) => Promise<unknown>,
): AsyncGenerator<Part> {
  const summary = summaryResponse(request.messages);
  if (summary !== null) return yield* say(summary);
  const answers = remainingResponses(request.messages);
  if (answers === null) return yield* say(explanation);
  const steps = answers[0] ?? [];
  const stop = unmetExpectation(steps, previousResult(request.messages));
  if (stop !== null) return yield* say(stop);
  yield* follow(steps, request, signal, sleep);
}

async function* follow(
  steps: ResponseSteps,
  request: ModelRequest,
  signal: AbortSignal,
  sleep: (milliseconds: number, signal: AbortSignal) => Promise<unknown>,
): AsyncGenerator<Part> {
  let failed = request.failedAttempts ?? 0;
  for (const step of steps) {
    if ("say" in step) yield* say(step.say);
    else if ("wait_ms" in step) await sleep(step.wait_ms, signal);
    else if ("fail" in step) {
      if (failed < step.times) throw failure(step.fail);
      failed -= step.times;
    } else {
      yield* callParts("tools" in step ? step.tools : [step], request);
    }
  }
}

function* say(text: string): Generator<Part> {
  for (const piece of text.match(/.{1,24}/gsu) ?? []) yield { type: "text_delta", text: piece };
  yield { type: "block", block: { type: "text", text } };
}

/** The ids of calls follow from the history, so that the same request gives the same answer. */
function* callParts(calls: readonly Call[], request: ModelRequest): Generator<Part> {
  const hash = createHash("sha256").update(JSON.stringify(request.messages)).digest("hex").slice(0, 16);
  for (const [index, { tool, input }] of calls.entries()) {
    yield {
      type: "block",
      block: { type: "tool_call", id: `call_${hash}_${index}`, name: tool, input },
    };
  }
}

function failure(kind: ModelErrorKind): ModelError {
  const lasting = kind === "authentication" || kind === "not_found" || kind === "context_overflow";
  return new ModelError(kind, `The rehearsal model was told to fail: ${kind}.`, { retryable: !lasting });
}

function usageOf(request: ModelRequest, blocks: readonly AssistantBlock[]) {
  return {
    input_tokens: estimatePrefixTokens(request) + estimateTokens(request.messages),
    output_tokens: blocks.length === 0 ? 0 : estimateTokens([{ role: "assistant", content: blocks }]),
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
  };
}
