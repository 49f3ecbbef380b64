import type { OutputPiece } from "./preview-piece.ts";
import { PreviewRequests } from "./preview-requests.ts";

/** Between two batches of a session's pieces. */
const BATCH_MS = 250;

/** What a running tool call prints. */
export interface LiveOutput {
  /** The id of the event that announced the call. */
  readonly toolUseId: string;
  /**
   * What was printed since the last time, or the newest of it when that is too much; null for nothing.
   *
   * @param again with what came just before, also when that is nothing: for somebody who follows from now on.
   */
  take(again: boolean): { offset: number; text: string } | null;
}

/** Sends pieces to those who requested them, on these channels. */
export type SendPieces = (
  sessionId: string,
  pieces: readonly OutputPiece[],
  channels: readonly string[],
) => void;

/**
 * What the tool calls that run in this process print, for followers that requested it. Output is taken a few times a second, and only
 * as much as `LiveOutput` gives at once, so that a flood costs no more than a trickle.
 */
export class ToolOutputs {
  readonly #send: SendPieces;
  readonly #requests = new PreviewRequests();
  /** By session. True: what was sent of it is to be sent again. */
  readonly #running = new Map<string, Map<LiveOutput, boolean>>();
  readonly #changed = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(send: SendPieces) {
    this.#send = send;
  }

  /** A call begins. Returns what is to be called when it has ended. */
  begin(sessionId: string, output: LiveOutput): () => void {
    const running = this.#running.get(sessionId) ?? new Map<LiveOutput, boolean>();
    this.#running.set(sessionId, running.set(output, true));
    this.changed(sessionId);
    return () => {
      running.delete(output);
      if (running.size === 0) this.#running.delete(sessionId);
    };
  }

  /** A call of the session has printed something. */
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
