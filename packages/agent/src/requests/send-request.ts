import { orAborted } from "@berth/concurrency";
import type { ModelUsage } from "@berth/contract";
import {
  type AssistantBlock,
  type FinishReason,
  type Model,
  ModelError,
  type ModelPart,
  type ModelRequest,
} from "../models/model.ts";

/** The outcome of a request to a model. */
export type RequestOutcome =
  | { type: "finished"; blocks: AssistantBlock[]; reason: FinishReason; usage: ModelUsage }
  | { type: "failed"; error: ModelError }
  | { type: "aborted" };

export type FinishedResponse = Extract<RequestOutcome, { type: "finished" }>;

export type OnPart = (part: Exclude<ModelPart, { type: "finish" }>) => void;

/**
 * Sends one request, without retries. Only a complete response has blocks. An abort ends the wait at once,
 * even if the model does not react to it. Never rejects: any other error becomes a `ModelError` that is not
 * retried.
 */
export async function sendRequest(
  model: Model,
  request: ModelRequest,
  signal: AbortSignal,
  onPart: OnPart,
  onSend?: () => void,
): Promise<RequestOutcome> {
  if (signal.aborted) return { type: "aborted" };
  let parts: AsyncIterator<ModelPart> | null = null;
  try {
    parts = model.stream(request, signal, onSend)[Symbol.asyncIterator]();
    return await readResponse(parts, signal, onPart);
  } catch (error) {
    if (signal.aborted) return { type: "aborted" };
    return { type: "failed", error: modelError(error) };
  } finally {
    if (parts !== null) close(parts);
  }
}

async function readResponse(
  parts: AsyncIterator<ModelPart>,
  signal: AbortSignal,
  onPart: OnPart,
): Promise<RequestOutcome> {
  const blocks: AssistantBlock[] = [];
  for (;;) {
    const { done, value: part } = await orAborted(parts.next(), signal);
    if (done)
      throw new ModelError("interrupted_stream", "The model's response ended early.", { retryable: true });
    if (part.type === "finish") return { type: "finished", blocks, reason: part.reason, usage: part.usage };
    if (part.type === "block") blocks.push(part.block);
    onPart(part);
  }
}

function modelError(error: unknown): ModelError {
  if (error instanceof ModelError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new ModelError("request_failed", message, { retryable: false, cause: error });
}

/** Lets the model release its resources. Not awaited, since the model may be stuck. */
function close(parts: AsyncIterator<ModelPart>): void {
  parts.return?.()?.catch(() => {});
}
