import type { PreviewPiece } from "@berth/agent";

/** A piece of what a running tool call prints. */
export interface OutputPiece {
  type: "agent.tool_output";
  /** The id of the event that announced the call. */
  toolUseId: string;
  /** What came before: characters, and bytes of what was left out. */
  offset: number;
  /** Empty: the call runs. */
  text: string;
}

/** What is previewed of a session. */
export type LivePiece = PreviewPiece | OutputPiece;

/** A NOTIFY payload is limited to 8,000 bytes, and JSON takes up to six for a character. */
const MAX_CHARACTERS = 1_200;

/** The piece as pieces that fit a payload each. */
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

/** Cuts no character in two. */
function textAt(text: string, at: number): string {
  const part = text.slice(at, at + MAX_CHARACTERS);
  const isCut = at + part.length < text.length && /[\ud800-\udbff]$/.test(part);
  return isCut ? part.slice(0, -1) : part;
}
