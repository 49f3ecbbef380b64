/** A line of a diff that a comment is about. */
export type CommentedLine = {
  /** The repository, as a resource of the session. */
  resourceId: string;
  /** The file's absolute path in the sandbox. */
  file: string;
  /** `old`: a line of the commit that was cloned, which is no longer there. `new`: a line of the current file. */
  side: "old" | "new";
  /** From 1. */
  line: number;
  /** The text of the line. */
  quote: string;
};

export type LineComment = CommentedLine & { id: string; text: string };

export type Comments = {
  /** In the order of files and lines. One without a text is not sent, and not kept after its editor closes. */
  list: readonly LineComment[];
  /** The comment in the editor, and its text before; null while none is edited. */
  open: { id: string; before: string } | null;
};

export const NO_COMMENTS: Comments = { list: [], open: null };

/** Characters of a line that a message quotes. */
const MAX_QUOTE = 400;

/** Opens the comment on a line in the editor, or a new one, and closes the one that was open. */
export function openLine(comments: Comments, line: CommentedLine): Comments {
  const { list } = closeEditor(comments);
  const found = list.find((one) => isAbout(one, line));
  if (found !== undefined) return openComment({ list, open: null }, found.id);
  const fresh = { ...line, id: crypto.randomUUID(), text: "" };
  return { list: [...list, fresh].sort(inOrder), open: { id: fresh.id, before: "" } };
}

export function openComment(comments: Comments, id: string): Comments {
  const { list } = closeEditor(comments);
  const found = list.find((one) => one.id === id);
  return { list, open: found === undefined ? null : { id, before: found.text } };
}

/** Changes the text of the comment in the editor. */
export function write({ list, open }: Comments, text: string): Comments {
  return { list: list.map((one) => (one.id === open?.id ? { ...one, text } : one)), open };
}

/** Closes the editor, and keeps what was written. */
export function closeEditor({ list }: Comments): Comments {
  return { list: list.filter(isWritten), open: null };
}

/** Closes the editor, and restores the text before. */
export function cancelEditor(comments: Comments): Comments {
  return closeEditor(write(comments, comments.open?.before ?? ""));
}

export function remove({ list, open }: Comments, ids: readonly string[]): Comments {
  return {
    list: list.filter(({ id }) => !ids.includes(id)),
    open: open !== null && ids.includes(open.id) ? null : open,
  };
}

export function isWritten({ text }: LineComment): boolean {
  return text.trim() !== "";
}

export function isAbout(one: CommentedLine, other: CommentedLine): boolean {
  return placeOf(one) === placeOf(other) && one.quote === other.quote;
}

/** Returns the one message that the agent gets: file, line, the line itself and text of each comment. */
export function messageOf(list: readonly LineComment[]): string {
  const parts = list.map(
    (one) => `${one.file}, ${lineName(one)}:\n> ${quoted(one.quote)}\n${one.text.trim().toWellFormed()}`,
  );
  return [`Comments on lines of your changes: ${list.length}`, ...parts].join("\n\n");
}

export function lineName({ side, line }: Pick<CommentedLine, "side" | "line">): string {
  return side === "new" ? `line ${line}` : `line ${line} before your changes`;
}

function quoted(line: string): string {
  return line.length > MAX_QUOTE ? `${line.slice(0, MAX_QUOTE).toWellFormed()} …` : line;
}

function placeOf({ resourceId, file, side, line }: CommentedLine): string {
  return JSON.stringify([resourceId, file, side, line]);
}

function inOrder(one: LineComment, other: LineComment): number {
  if (one.file !== other.file) return one.file < other.file ? -1 : 1;
  return one.line - other.line || (one.side === "old" ? -1 : 1);
}
