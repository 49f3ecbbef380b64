import { type CallKind, toolResultEvent } from "../history/call-events.ts";
import { throwIfLeaseLost } from "../history/log.ts";
import type { Draft } from "../history/log-entry.ts";
import type { TurnLog } from "../history/turn-log.ts";
import * as notes from "../prompts/notes.ts";
import { storableText, truncateMiddle } from "../prompts/text.ts";
import { failure, type ToolContext, type ToolResult } from "../tools/tool.ts";
import type { CallDecision } from "./authorize-call.ts";
import { sideBySide } from "./side-by-side.ts";

/** A call that is announced in the log and waits for no client. */
export interface AnnouncedCall {
  eventId: string;
  kind: CallKind;
  decision: CallDecision;
}

const MAX_CONCURRENT_CALLS = 8;
/** How long a stopped tool may take to return a partial result. */
const STOP_GRACE_MS = 500;

/**
 * Runs up to eight calls at a time and appends each result as soon as it is there. When the signal aborts, running calls are
 * stopped and the others never start; each gets a result that says so. Rejects when an append fails: calls that are still
 * running are then stopped, and nothing more is appended.
 */
export async function runCalls(
  calls: readonly AnnouncedCall[],
  log: TurnLog,
  context: ToolContext,
  maxTextLength: number,
): Promise<void> {
  const fail = new AbortController();
  const signal = AbortSignal.any([context.signal, fail.signal]);
  const stoppable: ToolContext = {
    sandbox: () => context.sandbox(),
    environment: () => context.environment(),
    secrets: () => context.secrets?.() ?? [],
    signal,
  };
  const others = sideBySide(calls.map(({ decision }) => decision));
  const queue = calls.entries();
  const worker = async () => {
    for (const [index, call] of queue) {
      const beside = others[index];
      const result = await resultOf(
        call.decision,
        beside === undefined ? stoppable : { ...stoppable, beside },
      );
      beside?.begin();
      fail.signal.throwIfAborted();
      throwIfLeaseLost(context.signal);
      await log.append([resultDraft(call, result, maxTextLength)]);
    }
  };
  const workers = Array.from({ length: Math.min(MAX_CONCURRENT_CALLS, calls.length) }, async () => {
    try {
      await worker();
    } catch (error) {
      fail.abort(error);
      throw error;
    }
  });
  await Promise.all(workers);
}

/** The result of a call that does not run, or was stopped. */
export function errorResult(call: Pick<AnnouncedCall, "eventId" | "kind">, text: string): Draft {
  return resultDraft(call, failure(text), Number.POSITIVE_INFINITY);
}

async function resultOf(decision: CallDecision, context: ToolContext): Promise<ToolResult> {
  if ("errorText" in decision) return failure(decision.errorText);
  if (!("tool" in decision)) throw new TypeError("A custom tool is run by the client, not here.");
  if (context.signal.aborted) return failure(notes.NOT_STARTED_CALL);
  const running = decision.tool.run(decision.input, context).catch((error: unknown) => {
    if (context.signal.aborted) return failure(notes.STOPPED_CALL);
    return failure(`The tool failed: ${error instanceof Error ? error.message : String(error)}`);
  });
  return await Promise.race([running, graceEnded(context.signal, running)]);
}

/** Resolves half a second after the abort, for tools that do not stop. Settles when the tool does, to remove its listener. */
async function graceEnded(signal: AbortSignal, running: Promise<ToolResult>): Promise<ToolResult> {
  const over = Promise.withResolvers<void>();
  let timer: NodeJS.Timeout | undefined;
  const startGrace = () => {
    timer = setTimeout(over.resolve, STOP_GRACE_MS);
  };
  signal.addEventListener("abort", startGrace, { once: true });
  await Promise.race([over.promise, running]);
  signal.removeEventListener("abort", startGrace);
  clearTimeout(timer);
  return failure(notes.INTERRUPTED_CALL);
}

function resultDraft(
  call: Pick<AnnouncedCall, "eventId" | "kind">,
  result: ToolResult,
  maxTextLength: number,
): Draft {
  const content = result.content.map((block) =>
    block.type === "text"
      ? { ...block, text: truncateMiddle(storableText(block.text), maxTextLength) }
      : block,
  );
  return toolResultEvent(call, { content, is_error: result.isError });
}
