import { type CallKind, toolResultEvent } from "../history/call-events.ts";
import { throwIfLeaseLost } from "../history/log.ts";
import type { Draft } from "../history/log-entry.ts";
import type { TurnLog } from "../history/turn-log.ts";
import * as notes from "../prompts/notes.ts";
import { storableText, truncateMiddle } from "../prompts/text.ts";
import { failure, type ToolContext, type ToolResult } from "../tools/tool.ts";
import type { CallDecision } from "./authorize-call.ts";
import type { CallOutput, CallOutputs } from "./call-outputs.ts";
import { earlierCalls } from "./earlier-calls.ts";
import type { Explorer } from "./explorer.ts";
import { changesBefore, sideBySide } from "./side-by-side.ts";

/** A call that is announced in the log and waits for no client. */
export interface AnnouncedCall {
  eventId: string;
  kind: CallKind;
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
 * @param decisions one for each call, in order.
 * @param announcing resolves with the calls once they are in the log.
 * @param maxTextLength maximum characters of text that the model gets of one result.
 * @param next the start of the next request, appended in the same write as the last result; null when no
 * request is to begin.
 */
export async function runCalls(
  decisions: readonly CallDecision[],
  announcing: Promise<readonly AnnouncedCall[]>,
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
  const announced = async (index: number) => {
    const call = (await announcing)[index];
    if (call === undefined) throw new TypeError("A call is not announced.");
    return call;
  };
  const others = sideBySide(decisions);
  const changes = changesBefore(decisions);
  const early = context.hasSandbox?.() ? countEarly(decisions) : 0;
  const queue = decisions.entries();
  let missing = decisions.length;
  const worker = async () => {
    for (const [index, decision] of queue) {
      const beside = others[index];
      const begun = index < early ? null : await announced(index);
      const output = begun === null ? NO_OUTPUT : outputOf(begun, context);
      const own = {
        ...stoppable,
        ...(beside !== undefined && { beside }),
        ...(begun !== null && loopOf(begun, context, log, signal)),
      };
      await changes[index]?.ended;
      const result = await resultOf(decision, own, output).finally(changes[index]?.end);
      beside?.begin();
      const call = await announced(index);
      fail.signal.throwIfAborted();
      throwIfLeaseLost(context.signal);
      missing -= 1;
      const start = missing === 0 ? next() : null;
      const draft = resultDraft(call, result, maxTextLength());
      await (start === null ? log.append([draft]) : log.appendTakingInputs([draft, start]));
      output.end();
    }
  };
  const orStopAll = async (work: Promise<unknown>) => {
    try {
      await work;
    } catch (error) {
      fail.abort(error);
      throw error;
    }
  };
  const workers = Array.from({ length: Math.min(MAX_CONCURRENT_CALLS, decisions.length) }, worker);
  await Promise.all([announcing, ...workers].map(orStopAll));
}

function outputOf({ eventId }: AnnouncedCall, { outputs }: CallContext): CallOutput {
  return outputs?.begin(eventId) ?? NO_OUTPUT;
}

function loopOf(
  { eventId }: AnnouncedCall,
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
export function errorResult(call: AnnouncedCall, text: string): Draft {
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

function resultDraft(call: AnnouncedCall, result: ToolResult, maxTextLength: number): Draft {
  const content = result.content.map((block) =>
    block.type === "text"
      ? { ...block, text: truncateMiddle(storableText(block.text), maxTextLength) }
      : block,
  );
  return toolResultEvent(call, { content, is_error: result.isError });
}
