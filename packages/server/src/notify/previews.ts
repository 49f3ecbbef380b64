import type { PreviewPiece } from "@berth/agent";
import { CHANGES, DUE, type Notification, previewChannel } from "./channels.ts";
import { SessionListeners } from "./session-listeners.ts";

const BATCH_MS = 50;
/** A NOTIFY payload is limited to 8,000 bytes, and JSON takes up to six for a character. */
const MAX_PIECE_CHARACTERS = 1_200;
/** How long a request for a session's previews is valid. */
const REQUEST_TTL_MS = 60_000;
/** From this number of requests on, each new one first removes those that have expired. */
const MAX_REQUESTS = 1_000;

/** An event that a model is writing. */
interface Draft {
  /** The first piece, for everything but the text. */
  piece: PreviewPiece;
  text: string;
  /** How many characters were sent; -1 when the event itself was not announced yet. */
  sent: number;
}

/** Notifications of previews, as JSON. `on`: the channel of the pieces; processes of the release before have them on `CHANGES`. */
type Payload =
  | { by: string; want: string; on?: string }
  | { by: string; session: string; piece: PreviewPiece };

/** What previews use of the connection that listens. */
export interface PreviewChannels {
  send(notifications: readonly Notification[]): void;
  /** Resolves once all that is sent on the channel is received. */
  listen(channel: string): Promise<void>;
  unlisten(channel: string): void;
}

/**
 * Delivers the text that models are writing, from the process that runs a session to the processes whose followers
 * requested it. Nothing is stored and delivery is not guaranteed: a piece may be lost or arrive twice, which its offset shows.
 * Nothing is sent for a session without a request.
 */
export class Previews {
  readonly #sender: string;
  readonly #channels: PreviewChannels;
  /** By channel, how many follow a session of it. */
  readonly #listened = new Map<string, number>();
  readonly #followers = new SessionListeners<[PreviewPiece]>();
  /** By session, the events of its current model request, by event id. */
  readonly #drafts = new Map<string, Map<string, Draft>>();
  /** By session, on which channels its previews are requested, and when that expires. */
  readonly #requests = new Map<string, Map<string, number>>();
  /** Sessions whose previews are requested in the next batch. */
  readonly #unsentRequests = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param sender identifies this process.
   * @param channels to the other processes.
   */
  constructor(sender: string, channels: PreviewChannels) {
    this.#sender = sender;
    this.#channels = channels;
  }

  /** `onPiece` gets the session's pieces from now on, from the start of the current model request. */
  follow(sessionId: string, onPiece: (piece: PreviewPiece) => void): () => void {
    const unfollow = this.#followers.add(sessionId, onPiece);
    const unlisten = this.#listen(previewChannel(sessionId), () => this.request(sessionId));
    return () => {
      unfollow();
      unlisten();
    };
  }

  /** Renews the request of a follower. Call it at each model request, which may run in another process than the last one. */
  request(sessionId: string): void {
    if (this.#unsentRequests.size === 0) setImmediate(() => this.#sendRequests());
    this.#unsentRequests.add(sessionId);
  }

  /** Adds a piece of a session that this process runs. */
  publish(sessionId: string, piece: PreviewPiece): void {
    const known = this.#drafts.get(sessionId) ?? new Map<string, Draft>();
    const [first] = known.values();
    const drafts = first === undefined || first.piece.requestId === piece.requestId ? known : new Map();
    const draft: Draft = drafts.get(piece.eventId) ?? { piece, text: "", sent: -1 };
    draft.text += piece.text;
    this.#drafts.set(sessionId, drafts.set(piece.eventId, draft));
    if (this.#requestedOn(sessionId).length > 0) this.#flushSoon();
  }

  /** Call it when the session's turn has ended. */
  end(sessionId: string): void {
    this.#drafts.delete(sessionId);
  }

  /** Handles a NOTIFY payload. Returns false when it does not belong to previews. */
  receive(payload: string, channel: string): boolean {
    if (!payload.startsWith("{")) return false;
    const received = JSON.parse(payload) as Payload;
    if (received.by === this.#sender) return true;
    if ("piece" in received) this.#followers.call(received.session, received.piece);
    else if (channel === DUE) this.#onRequest(received.want, received.on ?? CHANGES);
    else if (received.on === undefined) this.#channels.send([{ channel: DUE, payload }]);
    return true;
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  /** Listens while there are followers. `listens` is called once, when it does. */
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
    for (const sessionId of sessions) this.#onRequest(sessionId, previewChannel(sessionId));
    const payloads = sessions.map((sessionId) =>
      encode({ by: this.#sender, want: sessionId, on: previewChannel(sessionId) }),
    );
    this.#channels.send(
      [DUE, CHANGES].flatMap((channel) => payloads.map((payload) => ({ channel, payload }))),
    );
  }

  /** Sends the current model request again from its start, since the follower may have missed it. */
  #onRequest(sessionId: string, channel: string): void {
    const now = performance.now();
    if (this.#requests.size >= MAX_REQUESTS) {
      for (const id of this.#requests.keys())
        if (this.#requestedOn(id).length === 0) this.#requests.delete(id);
    }
    const requests = this.#requests.get(sessionId) ?? new Map<string, number>();
    this.#requests.set(sessionId, requests.set(channel, now + REQUEST_TTL_MS));
    for (const draft of this.#drafts.get(sessionId)?.values() ?? []) draft.sent = -1;
    if (this.#drafts.has(sessionId)) this.#flushSoon();
  }

  /** The channels on which the session's previews are requested. */
  #requestedOn(sessionId: string): string[] {
    const now = performance.now();
    const requests = this.#requests.get(sessionId) ?? new Map<string, number>();
    return [...requests].filter(([, expiry]) => expiry > now).map(([channel]) => channel);
  }

  #flushSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      for (const sessionId of this.#drafts.keys()) this.#flush(sessionId);
    }, BATCH_MS);
  }

  #flush(sessionId: string): void {
    const channels = this.#requestedOn(sessionId);
    if (channels.length === 0) return;
    const pieces = [...(this.#drafts.get(sessionId)?.values() ?? [])].flatMap(takeUnsent);
    for (const piece of pieces) this.#followers.call(sessionId, piece);
    const payloads = pieces.map((piece) => encode({ by: this.#sender, session: sessionId, piece }));
    const notifications = channels.flatMap((channel) => payloads.map((payload) => ({ channel, payload })));
    if (notifications.length > 0) this.#channels.send(notifications);
  }
}

/** Returns the unsent text in pieces that fit a payload, and marks it as sent. A piece without text announces its event. */
function takeUnsent(draft: Draft): PreviewPiece[] {
  if (draft.sent === draft.text.length) return [];
  const pieces: PreviewPiece[] = [];
  let offset = Math.max(draft.sent, 0);
  do {
    const text = draft.text.slice(offset, offset + MAX_PIECE_CHARACTERS);
    pieces.push({ ...draft.piece, offset, text });
    offset += text.length;
  } while (offset < draft.text.length);
  draft.sent = draft.text.length;
  return pieces;
}

function encode(payload: Payload): string {
  return JSON.stringify(payload);
}
