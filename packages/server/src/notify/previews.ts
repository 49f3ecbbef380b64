import type { PreviewPiece } from "@berth/agent";
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

/** Notifications of previews, as JSON. */
type Payload = { by: string; want: string } | { by: string; session: string; piece: PreviewPiece };

/**
 * Delivers the text that models are writing, from the process that runs a session to the processes whose followers
 * requested it. Nothing is stored and delivery is not guaranteed: a piece may be lost or arrive twice, which its offset shows.
 * Nothing is sent for a session without a request.
 */
export class Previews {
  readonly #sender: string;
  readonly #send: (payloads: readonly string[]) => void;
  readonly #followers = new SessionListeners<[PreviewPiece]>();
  /** By session, the events of its current model request, by event id. */
  readonly #drafts = new Map<string, Map<string, Draft>>();
  /** By session, when the last request for its previews expires. */
  readonly #requests = new Map<string, number>();
  /** Sessions whose previews are requested in the next batch. */
  readonly #unsentRequests = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param sender identifies this process.
   * @param send sends NOTIFY payloads to the other processes, in the order of the calls.
   */
  constructor(sender: string, send: (payloads: readonly string[]) => void) {
    this.#sender = sender;
    this.#send = send;
  }

  /** `onPiece` gets the session's pieces from now on, from the start of the current model request. */
  follow(sessionId: string, onPiece: (piece: PreviewPiece) => void): () => void {
    const unfollow = this.#followers.add(sessionId, onPiece);
    this.request(sessionId);
    return unfollow;
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
    if (this.#isRequested(sessionId)) this.#flushSoon();
  }

  /** Call it when the session's turn has ended. */
  end(sessionId: string): void {
    this.#drafts.delete(sessionId);
  }

  /** Handles a NOTIFY payload. Returns false when it does not belong to previews. */
  receive(payload: string): boolean {
    if (!payload.startsWith("{")) return false;
    const received = JSON.parse(payload) as Payload;
    if (received.by === this.#sender) return true;
    if ("want" in received) this.#onRequest(received.want);
    else this.#followers.call(received.session, received.piece);
    return true;
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #sendRequests(): void {
    const sessions = [...this.#unsentRequests];
    this.#unsentRequests.clear();
    for (const sessionId of sessions) this.#onRequest(sessionId);
    this.#send(sessions.map((sessionId) => encode({ by: this.#sender, want: sessionId })));
  }

  /** Sends the current model request again from its start, since the follower may have missed it. */
  #onRequest(sessionId: string): void {
    const now = performance.now();
    if (this.#requests.size >= MAX_REQUESTS) {
      for (const [id, expiry] of this.#requests) if (expiry <= now) this.#requests.delete(id);
    }
    this.#requests.set(sessionId, now + REQUEST_TTL_MS);
    for (const draft of this.#drafts.get(sessionId)?.values() ?? []) draft.sent = -1;
    if (this.#drafts.has(sessionId)) this.#flushSoon();
  }

  #isRequested(sessionId: string): boolean {
    return (this.#requests.get(sessionId) ?? 0) > performance.now();
  }

  #flushSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      for (const sessionId of this.#drafts.keys()) this.#flush(sessionId);
    }, BATCH_MS);
  }

  #flush(sessionId: string): void {
    if (!this.#isRequested(sessionId)) return;
    const pieces = [...(this.#drafts.get(sessionId)?.values() ?? [])].flatMap(takeUnsent);
    for (const piece of pieces) this.#followers.call(sessionId, piece);
    if (pieces.length > 0)
      this.#send(pieces.map((piece) => encode({ by: this.#sender, session: sessionId, piece })));
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
