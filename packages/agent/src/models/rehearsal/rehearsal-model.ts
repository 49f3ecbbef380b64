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

/** The id of the built-in model. */
export const REHEARSAL = "rehearsal/steps";

export interface RehearsalOptions {
  /** Tokens; default 200,000. */
  contextWindow?: number;
  /** Tokens; default one eighth of the window, at most 8,192. */
  maxOutputTokens?: number;
  /** Sleeps for `wait_ms` steps; rejects with the signal's reason. */
  sleep?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Creates a scripted model without costs, to check an installation and to drive tests: it follows the steps
 * in the newest user message. To any other message it responds with an explanation of the format.
 *
 * It keeps no state between calls. The next step follows from the responses in the history, and the failures
 * of a `fail` step from `failedAttempts`, so it continues after a crash. A response consists of the `say`
 * steps up to the next step that calls tools, and those calls: a response without a call would end the turn.
 * `wait_ms` and `fail` steps between them take effect in order. If the last step called tools, the turn ends
 * with an empty response.
 */
export function createRehearsalModel(options: RehearsalOptions = {}): Model {
  const contextWindow = options.contextWindow ?? 200_000;
  const sleep = options.sleep ?? ((milliseconds, signal) => setTimeout(milliseconds, undefined, { signal }));
  return {
    id: REHEARSAL,
    contextWindow,
    prices: null,
    maxOutputTokens: options.maxOutputTokens ?? Math.min(8_192, Math.floor(contextWindow / 8)),
    stream(request, signal, onSend) {
      onSend?.();
      return stream(request, signal, sleep);
    },
  };
}

const EXPLANATION =
  'This is the rehearsal model: it follows steps and thinks nothing. Send it JSON, alone or in a fenced json block, such as {"steps": [{"tool": "Bash", "input": {"command": "pwd"}}, {"say": "Done."}]}; a step may also be {"tools": […]}, {"fail": "overloaded", "times": 2} or {"wait_ms": 50}, and may carry "expect", a text that the previous result must contain.';

async function* stream(
  request: ModelRequest,
  signal: AbortSignal,
  sleep: (milliseconds: number, signal: AbortSignal) => Promise<unknown>,
): AsyncGenerator<ModelPart> {
  const blocks: AssistantBlock[] = [];
  const most = request.maxOutputTokens ?? Number.POSITIVE_INFINITY;
  for await (const part of respond(request, signal, sleep)) {
    signal.throwIfAborted();
    if (part.type === "block" && outputTokens([...blocks, part.block]) > most) {
      const usage = { ...usageOf(request, blocks), output_tokens: most };
      return yield { type: "finish", reason: "max_tokens", usage };
    }
    yield { ...part, blockIndex: blocks.length };
    if (part.type === "block") blocks.push(part.block);
  }
  const calls = blocks.some((block) => block.type === "tool_call");
  yield { type: "finish", reason: calls ? "tool_calls" : "end_turn", usage: usageOf(request, blocks) };
}

/** A part without its `blockIndex`, which is that of the next block. */
type Part = { type: "text_delta"; text: string } | { type: "block"; block: AssistantBlock };

async function* respond(
  request: ModelRequest,
  signal: AbortSignal,
  sleep: (milliseconds: number, signal: AbortSignal) => Promise<unknown>,
): AsyncGenerator<Part> {
  const summary = summaryResponse(request.messages);
  if (summary !== null) return yield* say(summary);
  const responses = remainingResponses(request.messages);
  if (responses === null) return yield* say(EXPLANATION);
  const steps = responses[0] ?? [];
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

/**
 * Yields calls. Their ids are derived from the history, so that the same request gives the same response. The
 * length of the history makes them unique within it. Only its last message is hashed: a hash of all of it
 * would cost more with each request.
 */
function* callParts(calls: readonly Call[], { messages }: ModelRequest): Generator<Part> {
  const end = JSON.stringify([messages.length, messages.at(-1)]);
  const hash = createHash("sha256").update(end).digest("hex").slice(0, 16);
  for (const [index, { tool, input }] of calls.entries()) {
    yield {
      type: "block",
      block: { type: "tool_call", id: `call_${hash}_${index}`, name: tool, input },
    };
  }
}

function failure(kind: ModelErrorKind): ModelError {
  const lasting = kind === "authentication" || kind === "not_found" || kind === "context_overflow";
  return new ModelError(kind, `The rehearsal model fails as its step says: ${kind}.`, {
    retryable: !lasting,
    isUnbilled: true,
  });
}

function usageOf(request: ModelRequest, blocks: readonly AssistantBlock[]) {
  return {
    input_tokens: estimatePrefixTokens(request) + estimateTokens(request.messages),
    output_tokens: outputTokens(blocks),
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
  };
}

function outputTokens(blocks: readonly AssistantBlock[]): number {
  return blocks.length === 0 ? 0 : estimateTokens([{ role: "assistant", content: blocks }]);
}
