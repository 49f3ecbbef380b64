import { type CallKind, toolResultEvent } from "../history/call-events.ts";
import { throwIfLeaseLost } from "../history/log.ts";
import type { Draft } from "../history/log-entry.ts";
import type { TurnLog } from "../history/turn-log.ts";
import * as notes from "../prompts/notes.ts";
import { storableText, truncateMiddle } from "../prompts/text.ts";
import { failure, type ToolContext, type ToolResult } from "../tools/tool.ts";
import { type Announce, Announcement } from "./announcement.ts";
import type { CallDecision } from "./authorize-call.ts";
import type { CallOutput, CallOutputs } from "./call-outputs.ts";
import { earlierCalls } from "./earlier-calls.ts";
import type { Explorer } from "./explorer.ts";
import { changesBefore, sideBySide } from "./side-by-side.ts";

/** Refers to a call: the event that announces it, and its kind, which says who runs it. */
export interface CallRef {
  eventId: string;
  kind: CallKind;
}

/** A call in a model's response, with the decision whether and how it runs. */
export interface DecidedCall extends CallRef {
  decision: CallDecision;
}

/** The parts of the turn that calls use. */
export interface CallContext extends ToolContext {
  /** Records the output of running calls, and has the recorded output of a dead process's calls. */
  outputs?: CallOutputs;
  /** Runs the nested loops of Explore calls. */
  explorer?: Explorer;
  /** Returns whether the sandbox is open. By default that is unknown, and no call starts early. */
  hasSandbox?(): boolean;
}

const MAX_CONCURRENT_CALLS = 8;
const NO_OUTPUT: CallOutput = { add: () => {}, text: () => "", end: () => {} };
/** Milliseconds that a stopped tool has to return a partial result. */
const STOP_GRACE_MS = 500;

/**
 * Runs up to eight calls at a time and appends each result as soon as it is available. When the signal
 * aborts, running calls are stopped and the others never start; each gets a result that says so. Rejects when
 * an append fails: running calls are then stopped, and nothing more is appended.
 *
 * A call that changes files ends before later calls begin, so that they see the change.
 *
 * No call begins before it is announced, so that a call with effects is never repeated. Only the first calls,
 * if they have no effects, may begin earlier (see `countEarly`): if the process dies meanwhile, they were
 * never made.
 *
 * @param calls those that wait for no client, in order.
 * @param announce announces the calls; null when they are in the log.
 * @param maxTextLength maximum characters of text that the model gets of one result.
 * @param next the start of the next request, appended in the same write as the last result; null when no
 * request is to begin.
 */
export async function runCalls(
  calls: readonly DecidedCall[],
  announce: Announce | null,
  log: TurnLog,
  context: CallContext,
  maxTextLength: () => number,
  next: () => Draft | null = () => null,
): Promise<void> {
  const fail = new AbortController();
  const signal = AbortSignal.any([context.signal, fail.signal]);
  const stoppable: ToolContext = {
    sandbox: () => context.sandbox(),
    environment: () => context.environment(),
    secrets: () => context.secrets?.() ?? [],
    isNested: context.isNested === true,
    earlier: (tool) => earlierCalls(log.history().messages, tool),
    signal,
  };
  const decisions = calls.map(({ decision }) => decision);
  const others = sideBySide(decisions);
  const changes = changesBefore(decisions);
  const early = announce !== null && context.hasSandbox?.() ? countEarly(decisions) : 0;
  const held = early === calls.length ? early : 0;
  const announcement = new Announcement(announce ?? (async () => {}), held, next);
  const queue = calls.entries();
  let missing = calls.length;
  const throwIfEnded = () => {
    fail.signal.throwIfAborted();
    throwIfLeaseLost(context.signal);
  };
  const worker = async () => {
    for (const [index, call] of queue) {
      const beside = others[index];
      const isEarly = index < early;
      if (!isEarly) await announcement.made;
      const output = isEarly ? NO_OUTPUT : outputOf(call, context);
      const own = {
        ...stoppable,
        ...(beside !== undefined && { beside }),
        ...(!isEarly && loopOf(call, context, log, signal)),
      };
      await changes[index]?.ended;
      const result = await resultOf(call.decision, own, output).finally(changes[index]?.end);
      beside?.begin();
      throwIfEnded();
      const draft = resultDraft(call, result, maxTextLength());
      const isAppended = await announcement.take(index, draft);
      missing -= 1;
      if (isAppended) continue;
      throwIfEnded();
      await log.appendWithStart([draft], missing === 0 ? next() : null);
      output.end();
    }
  };
  const orStopAll = async (work: Promise<unknown>) => {
    try {
      await work;
    } catch (error) {
      announcement.cancel(error);
      fail.abort(error);
      throw error;
    }
  };
  const workers = Array.from({ length: Math.min(MAX_CONCURRENT_CALLS, calls.length) }, worker);
  await Promise.all([announcement.made, ...workers].map(orStopAll));
}

function outputOf({ eventId }: CallRef, { outputs }: CallContext): CallOutput {
  return outputs?.begin(eventId) ?? NO_OUTPUT;
}

function loopOf(
  { eventId }: CallRef,
  { explorer }: CallContext,
  log: TurnLog,
  signal: AbortSignal,
): Pick<ToolContext, "explore"> {
  if (explorer === undefined) return {};
  return { explore: (question) => explorer(question, { eventId, log, signal }) };
}

/** Counts the first calls that only read or do not run. A later call may need an earlier one's effects. */
function countEarly(decisions: readonly CallDecision[]): number {
  const first = decisions.findIndex((decision) => !("errorText" in decision) && !readsOnly(decision));
  return first === -1 ? decisions.length : first;
}

function readsOnly(decision: CallDecision): boolean {
  return decision.permission === "allow" && "tool" in decision && decision.tool?.readsOnly === true;
}

/** Returns the result of a call that does not run, or was stopped. */
export function errorResult(call: CallRef, text: string): Draft {
  return resultDraft(call, failure(text), Number.POSITIVE_INFINITY);
}

async function resultOf(
  decision: CallDecision,
  context: ToolContext,
  output: CallOutput,
): Promise<ToolResult> {
  if ("errorText" in decision) return failure(decision.errorText);
  if (!("tool" in decision)) throw new TypeError("A custom tool is run by the client, not here.");
  if (context.signal.aborted) return failure(notes.NOT_STARTED_CALL);
  const onOutput = (bytes: Uint8Array) => output.add(bytes);
  const running = decision.tool.run(decision.input, { ...context, onOutput }).catch((error: unknown) => {
    if (context.signal.aborted) return failure(notes.cutOff(notes.STOPPED_CALL, output.text()));
    return failure(`The tool failed: ${error instanceof Error ? error.message : String(error)}`);
  });
  const { endsItself } = decision.tool;
  if (endsItself || (await endsInTime(running, context.signal))) return await running;
  return failure(notes.cutOff(notes.INTERRUPTED_CALL, output.text()));
}

/** Resolves with true when the tool ends, or with false if it still runs half a second after the abort. */
async function endsInTime(running: Promise<ToolResult>, signal: AbortSignal): Promise<boolean> {
  const over = Promise.withResolvers<void>();
  let timer: NodeJS.Timeout | undefined;
  const startGrace = () => {
    timer = setTimeout(over.resolve, STOP_GRACE_MS);
  };
  signal.addEventListener("abort", startGrace, { once: true });
  const ended = await Promise.race([over.promise.then(() => false), running.then(() => true)]);
  signal.removeEventListener("abort", startGrace);
  clearTimeout(timer);
  return ended;
}

function resultDraft(call: CallRef, result: ToolResult, maxTextLength: number): Draft {
  const content = result.content.map((block) =>
    block.type === "text"
      ? { ...block, text: truncateMiddle(storableText(block.text), maxTextLength) }
      : block,
  );
  return toolResultEvent(call, { content, is_error: result.isError });
}
