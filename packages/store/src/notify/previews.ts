import type { PreviewPiece } from "@berth/agent";
import { DUE, type Notification, previewChannel } from "./channels.ts";
import { cutPiece, type LivePiece } from "./preview-piece.ts";
import { PreviewRequests } from "./preview-requests.ts";
import { SessionListeners } from "./session-listeners.ts";
import { type LiveOutput, ToolOutputs } from "./tool-outputs.ts";

const BATCH_MS = 50;

/** An event that a model is writing. */
interface Draft {
  /** The first piece, which has everything but the text. */
  piece: PreviewPiece;
  text: string;
  /** Number of characters that were sent; -1 when the event was not announced yet. */
  sent: number;
}

/**
 * A notification of previews, as JSON. `on` is the channel for the pieces. `output` means that output of tool
 * calls is requested too.
 */
type Payload =
  | { by: string; want: string; on: string; output?: true }
  | { by: string; session: string; piece: LivePiece };

/** The functions of the listening connection that previews use. */
export interface PreviewChannels {
  send(notifications: readonly Notification[]): void;
  /** Resolves once everything that is sent on the channel is received. */
  listen(channel: string): Promise<void>;
  unlisten(channel: string): void;
}

/**
 * Delivers the text that models are writing, and the output of tool calls, from the process that runs a
 * session to the processes whose followers requested it. Nothing is stored and delivery is not guaranteed: a
 * piece may be lost or arrive twice, which its offset shows. Nothing is sent for a session without a request.
 */
export class Previews {
  readonly #sender: string;
  readonly #channels: PreviewChannels;
  /** Number of followers of a channel's sessions, by channel. */
  readonly #listened = new Map<string, number>();
  readonly #followers = new SessionListeners<[LivePiece]>();
  /** Events of each session's current model request, by session and event id. */
  readonly #drafts = new Map<string, Map<string, Draft>>();
  readonly #requests = new PreviewRequests();
  readonly #outputs: ToolOutputs;
  /**
   * Sessions whose previews are requested in the next batch, and whether these include output of tool calls.
   */
  readonly #unsentRequests = new Map<string, boolean>();
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param sender Name of this process.
   * @param channels Connection to the other processes.
   */
  constructor(sender: string, channels: PreviewChannels) {
    this.#sender = sender;
    this.#channels = channels;
    this.#outputs = new ToolOutputs((...batch) => this.#send(...batch));
  }

  /**
   * Calls `onPiece` for the session's pieces, from the start of the current model request, until the returned
   * function is called.
   * @param output Whether to include output of tool calls, with the newest output of running calls.
   */
  follow(sessionId: string, onPiece: (piece: LivePiece) => void, output = false): () => void {
    const unfollow = this.#followers.add(sessionId, onPiece);
    const unlisten = this.#listen(previewChannel(sessionId), () => this.request(sessionId, output));
    return () => {
      unfollow();
      unlisten();
    };
  }

  /**
   * Renews the request of a follower. Call it at the beginning of each turn and model request, which may run
   * in another process than the last one. For output of tool calls, also call it every 30 s.
   */
  request(sessionId: string, output = false): void {
    if (this.#unsentRequests.size === 0) setImmediate(() => this.#sendRequests());
    this.#unsentRequests.set(sessionId, output || this.#unsentRequests.get(sessionId) === true);
  }

  /** Adds a piece of a session that this process runs. */
  publish(sessionId: string, piece: PreviewPiece): void {
    const known = this.#drafts.get(sessionId) ?? new Map<string, Draft>();
    const [first] = known.values();
    const drafts = first === undefined || first.piece.requestId === piece.requestId ? known : new Map();
    const draft: Draft = drafts.get(piece.eventId) ?? { piece, text: "", sent: -1 };
    draft.text += piece.text;
    this.#drafts.set(sessionId, drafts.set(piece.eventId, draft));
    if (this.#requests.channelsOf(sessionId).length > 0) this.#flushSoon();
  }

  /**
   * Begins the output of a tool call in a session that this process runs. Returns a function to call when the
   * call has ended.
   */
  beginOutput(sessionId: string, output: LiveOutput): () => void {
    return this.#outputs.begin(sessionId, output);
  }

  /** Reports that a tool call of the session has printed something. */
  outputChanged(sessionId: string): void {
    this.#outputs.changed(sessionId);
  }

  /** Drops the session's drafts. Call it when its turn has ended. */
  end(sessionId: string): void {
    this.#drafts.delete(sessionId);
  }

  /** Handles a NOTIFY payload. Returns false when it does not belong to previews. */
  receive(payload: string): boolean {
    if (!payload.startsWith("{")) return false;
    const received = JSON.parse(payload) as Payload;
    if (received.by === this.#sender) return true;
    if ("piece" in received) this.#followers.call(received.session, received.piece);
    else this.#onRequest(received.want, received.on, received.output);
    return true;
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#outputs.close();
  }

  /**
   * Listens on the channel while it has followers. Calls `listens` once listening has begun. Returns a
   * function that removes the follower.
   */
  #listen(channel: string, listens: () => void): () => void {
    const followers = this.#listened.get(channel) ?? 0;
    this.#listened.set(channel, followers + 1);
    let isWanted = true;
    void this.#channels.listen(channel).then(() => {
      if (isWanted) listens();
    });
    return () => {
      if (!isWanted) return;
      isWanted = false;
      const left = (this.#listened.get(channel) ?? 1) - 1;
      if (left > 0) this.#listened.set(channel, left);
      else if (this.#listened.delete(channel)) this.#channels.unlisten(channel);
    };
  }

  #sendRequests(): void {
    const sessions = [...this.#unsentRequests];
    this.#unsentRequests.clear();
    for (const [sessionId, output] of sessions) this.#onRequest(sessionId, previewChannel(sessionId), output);
    this.#channels.send(
      sessions.map(([sessionId, output]) => ({
        channel: DUE,
        payload: encode({
          by: this.#sender,
          want: sessionId,
          on: previewChannel(sessionId),
          ...(output && { output: true as const }),
        }),
      })),
    );
  }

  /** Sends the current model request again from its start, since the follower may have missed it. */
  #onRequest(sessionId: string, channel: string, output = false): void {
    this.#requests.add(sessionId, channel);
    if (output) this.#outputs.request(sessionId, channel);
    for (const draft of this.#drafts.get(sessionId)?.values() ?? []) draft.sent = -1;
    if (this.#drafts.has(sessionId)) this.#flushSoon();
  }

  #flushSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      for (const sessionId of this.#drafts.keys()) this.#flush(sessionId);
    }, BATCH_MS);
  }

  #flush(sessionId: string): void {
    const channels = this.#requests.channelsOf(sessionId);
    if (channels.length === 0) return;
    const pieces = [...(this.#drafts.get(sessionId)?.values() ?? [])].flatMap(takeUnsent);
    this.#send(sessionId, pieces, channels);
  }

  #send(sessionId: string, pieces: readonly LivePiece[], channels: readonly string[]): void {
    for (const piece of pieces) this.#followers.call(sessionId, piece);
    const payloads = pieces
      .flatMap(cutPiece)
      .map((piece) => encode({ by: this.#sender, session: sessionId, piece }));
    const notifications = channels.flatMap((channel) => payloads.map((payload) => ({ channel, payload })));
    if (notifications.length > 0) this.#channels.send(notifications);
  }
}

/** Returns the unsent text, and marks it as sent. A piece without text announces its event. */
function takeUnsent(draft: Draft): PreviewPiece[] {
  if (draft.sent === draft.text.length) return [];
  const offset = Math.max(draft.sent, 0);
  draft.sent = draft.text.length;
  return [{ ...draft.piece, offset, text: draft.text.slice(offset) }];
}

function encode(payload: Payload): string {
  return JSON.stringify(payload);
}
