/**
 * Invisible characters that change the text around them: bidirectional controls, zero-width spaces, and
 * control characters other than tab and line feed.
 */
const UNSEEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/;
const UNSEEN_ALL = new RegExp(UNSEEN, "g");

export type TextPiece = { text: string; unseen: boolean };

export function hasUnseen(text: string): boolean {
  return UNSEEN.test(text);
}

/** Replaces each invisible character by a name such as `⟨U+202E⟩`, and CRLF by LF. */
export function showUnseen(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(UNSEEN_ALL, nameOf);
}

/** Works like `showUnseen`, but returns pieces, so that the names can be styled. */
export function piecesOf(text: string): TextPiece[] {
  const plain = text.replaceAll("\r\n", "\n");
  const pieces: TextPiece[] = [];
  let from = 0;
  for (const { 0: found, index } of plain.matchAll(UNSEEN_ALL)) {
    if (index > from) pieces.push({ text: plain.slice(from, index), unseen: false });
    pieces.push({ text: nameOf(found), unseen: true });
    from = index + found.length;
  }
  if (from < plain.length) pieces.push({ text: plain.slice(from), unseen: false });
  return pieces;
}

function nameOf(character: string): string {
  return `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`;
}
