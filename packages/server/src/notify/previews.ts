import type { PreviewPiece } from "@berth/agent";
import { createWanted } from "./wanted.ts";

/**
 * What models are writing, on its way from the process that runs a session to those whose readers asked for it. Nothing is
 * kept and nothing is certain: a piece may be missing or come twice, which its offset tells. Nothing is sent for a
 * session that nobody asked for.
 */
export interface Previews {
  /** `take` gets the pieces of a session from now on, from the beginning of what is written just now. */
  follow(sessionId: string, take: (piece: PreviewPiece) => void): () => void;
  /** Readers still want the session's pieces: told when a request of the model begins, since its process may be another one. */
  want(sessionId: string): void;
  /** A piece of a session that this process runs. */
  show(sessionId: string, piece: PreviewPiece): void;
  /** The session writes nothing any more. */
  end(sessionId: string): void;
  /** Takes a notice; false when it is none of previews. */
  read(notice: string): boolean;
  close(): void;
}

/** Pieces of so many milliseconds go together. */
const GATHER_MS = 50;
/** A notice holds less than 8,000 bytes; a character takes six at most. */
const CHARACTERS = 1_200;

interface Written {
  piece: PreviewPiece;
  text: string;
  sent: number;
}

type Notice = { by: string; want: string } | { by: string; session: string; piece: PreviewPiece };

/** `send` hands notices to the other processes, in the order of the calls. */
export function createPreviews(sender: string, send: (notices: readonly string[]) => void): Previews {
  const followers = new Map<string, Set<(piece: PreviewPiece) => void>>();
  /** What the request under way of each session has written, by the event. */
  const written = new Map<string, Map<string, Written>>();
  const wanted = createWanted();
  const asking = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  function deliver(sessionId: string, piece: PreviewPiece): void {
    for (const take of [...(followers.get(sessionId) ?? [])]) take(piece);
  }

  function flushSoon(): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      for (const sessionId of written.keys()) flush(sessionId);
    }, GATHER_MS);
  }

  function flush(sessionId: string): void {
    if (!wanted.has(sessionId)) return;
    const pieces = [...(written.get(sessionId)?.values() ?? [])].flatMap(unsent);
    for (const piece of pieces) deliver(sessionId, piece);
    if (pieces.length > 0) send(pieces.map((piece) => text({ by: sender, session: sessionId, piece })));
  }

  /** Whoever asks may have missed the beginning: all of it is sent again. */
  function noteWanted(sessionId: string): void {
    wanted.add(sessionId);
    for (const one of written.get(sessionId)?.values() ?? []) one.sent = -1;
    if (written.has(sessionId)) flushSoon();
  }

  function want(sessionId: string): void {
    if (asking.size === 0) setImmediate(ask);
    asking.add(sessionId);
  }

  function ask(): void {
    const sessions = [...asking];
    asking.clear();
    for (const sessionId of sessions) noteWanted(sessionId);
    send(sessions.map((sessionId) => text({ by: sender, want: sessionId })));
  }

  return {
    want,
    follow(sessionId, take) {
      const own = (piece: PreviewPiece) => take(piece);
      const set = followers.get(sessionId) ?? new Set();
      followers.set(sessionId, set.add(own));
      want(sessionId);
      return () => {
        set.delete(own);
        if (set.size === 0 && followers.get(sessionId) === set) followers.delete(sessionId);
      };
    },
    show(sessionId, piece) {
      const known = written.get(sessionId) ?? new Map<string, Written>();
      const [first] = known.values();
      const events = first === undefined || first.piece.requestId === piece.requestId ? known : new Map();
      const one: Written = events.get(piece.eventId) ?? { piece, text: "", sent: -1 };
      one.text += piece.text;
      written.set(sessionId, events.set(piece.eventId, one));
      if (wanted.has(sessionId)) flushSoon();
    },
    end: (sessionId) => void written.delete(sessionId),
    read(notice) {
      if (!notice.startsWith("{")) return false;
      const heard = JSON.parse(notice) as Notice;
      if (heard.by === sender) return true;
      if ("want" in heard) noteWanted(heard.want);
      else deliver(heard.session, heard.piece);
      return true;
    },
    close: () => clearTimeout(timer),
  };
}

/** In parts that fit a notice; one of no text announces its event. */
function unsent(one: Written): PreviewPiece[] {
  if (one.sent === one.text.length) return [];
  const pieces: PreviewPiece[] = [];
  let offset = Math.max(one.sent, 0);
  do {
    const piece = one.text.slice(offset, offset + CHARACTERS);
    pieces.push({ ...one.piece, offset, text: piece });
    offset += piece.length;
  } while (offset < one.text.length);
  one.sent = one.text.length;
  return pieces;
}

function text(notice: Notice): string {
  return JSON.stringify(notice);
}
