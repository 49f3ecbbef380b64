import type { PreviewPiece } from "@berth/agent";

/** A piece of the output of a running tool call. */
export interface OutputPiece {
  type: "agent.tool_output";
  /** Id of the event that announced the call. */
  toolUseId: string;
  /** Position of the piece: characters before it, and bytes that were left out. */
  offset: number;
  /** The text; empty when the call runs without new output. */
  text: string;
}

/** A live preview of a session. */
export type LivePiece = PreviewPiece | OutputPiece;

/**
 * Maximum number of characters in a piece. A NOTIFY payload is limited to 8,000 bytes, and JSON takes up to
 * six bytes for a character.
 */
const MAX_CHARACTERS = 1_200;

/** Splits the piece into pieces that each fit a payload. */
export function cutPiece<P extends LivePiece>(piece: P): P[] {
  const pieces: P[] = [];
  let at = 0;
  do {
    const text = textAt(piece.text, at);
    pieces.push({ ...piece, offset: piece.offset + at, text });
    at += text.length;
  } while (at < piece.text.length);
  return pieces;
}

/** Returns the text of one piece, without splitting a character. */
function textAt(text: string, at: number): string {
  const part = text.slice(at, at + MAX_CHARACTERS);
  const isCut = at + part.length < text.length && /[\ud800-\udbff]$/.test(part);
  return isCut ? part.slice(0, -1) : part;
}
