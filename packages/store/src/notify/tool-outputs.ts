import type { OutputPiece } from "./preview-piece.ts";
import { PreviewRequests } from "./preview-requests.ts";

/** Milliseconds between two batches of a session's pieces. */
const BATCH_MS = 250;

/** The output of a running tool call. */
export interface LiveOutput {
  /** Id of the event that announced the call. */
  readonly toolUseId: string;
  /**
   * Returns the output since the last call, or its newest part when it is too much; null when there is none.
   * @param again Includes the output just before, even when nothing is new, for a follower that has just
   * begun.
   */
  take(again: boolean): { offset: number; text: string } | null;
}

/** Sends pieces on the channels of those who requested them. */
export type SendPieces = (
  sessionId: string,
  pieces: readonly OutputPiece[],
  channels: readonly string[],
) => void;

/**
 * Sends the output of this process's tool calls to followers that requested it. It takes output a few times a
 * second, and only as much as `LiveOutput` returns at once, so a flood costs no more than a trickle.
 */
export class ToolOutputs {
  readonly #send: SendPieces;
  readonly #requests = new PreviewRequests();
  /** Running calls by session. True means that sent output is to be sent again. */
  readonly #running = new Map<string, Map<LiveOutput, boolean>>();
  readonly #changed = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(send: SendPieces) {
    this.#send = send;
  }

  /** Begins the output of a call. Returns a function to call when the call has ended. */
  begin(sessionId: string, output: LiveOutput): () => void {
    const running = this.#running.get(sessionId) ?? new Map<LiveOutput, boolean>();
    this.#running.set(sessionId, running.set(output, true));
    this.changed(sessionId);
    return () => {
      running.delete(output);
      if (running.size === 0) this.#running.delete(sessionId);
    };
  }

  /** Reports that a call of the session has printed something. */
  changed(sessionId: string): void {
    if (this.#changed.has(sessionId) || this.#requests.channelsOf(sessionId).length === 0) return;
    this.#changed.add(sessionId);
    this.#timer ??= setTimeout(() => this.#flush(), BATCH_MS);
  }

  request(sessionId: string, channel: string): void {
    this.#requests.add(sessionId, channel);
    const running = this.#running.get(sessionId);
    if (running === undefined) return;
    for (const output of running.keys()) running.set(output, true);
    this.changed(sessionId);
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #flush(): void {
    this.#timer = undefined;
    const sessions = [...this.#changed];
    this.#changed.clear();
    for (const sessionId of sessions) {
      const pieces = this.#take(sessionId);
      if (pieces.length > 0) this.#send(sessionId, pieces, this.#requests.channelsOf(sessionId));
    }
  }

  #take(sessionId: string): OutputPiece[] {
    const running = this.#running.get(sessionId) ?? new Map<LiveOutput, boolean>();
    return [...running].flatMap(([output, again]) => {
      running.set(output, false);
      const piece = output.take(again);
      return piece === null
        ? []
        : [{ type: "agent.tool_output" as const, toolUseId: output.toolUseId, ...piece }];
    });
  }
}
