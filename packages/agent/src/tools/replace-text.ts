/** A conversion between a file's bytes and a string. `bytes` preserves any bytes, each as one character. */
export type FileEncoding = "bytes" | "utf16le" | "utf16be";

export interface Replaced {
  bytes: Buffer;
  /** Number of occurrences of the old text. */
  count: number;
}

/** Returns the encoding by the byte order mark that UTF-16 files begin with. */
export function encodingOf(bytes: Uint8Array): FileEncoding {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf16le";
  return bytes[0] === 0xfe && bytes[1] === 0xff ? "utf16be" : "bytes";
}

/** Decodes a file: UTF-16, without its byte order mark, or UTF-8. */
export function fileText(bytes: Buffer): string {
  const encoding = encodingOf(bytes);
  return encoding === "bytes" ? bytes.toString("utf8") : decode(bytes, encoding).slice(1);
}

/**
 * Replaces every occurrence of a text, in the file's encoding. If the exact text is not found, its line ends
 * match either kind of line end. The new text gets the line ends of its surroundings, unless the old text has
 * CR LF and matches exactly.
 */
export function replaceText(bytes: Buffer, oldText: string, newText: string): Replaced {
  const encoding = encodingOf(bytes);
  const whole = decode(bytes, encoding);
  const [old, replacement] = [oldText, newText].map((text) =>
    encoding === "bytes" ? Buffer.from(text).toString("latin1") : text,
  ) as [string, string];
  const lines = whole.includes(old) ? [old] : old.split(/\r?\n/);
  const pattern = new RegExp(lines.map((line) => RegExp.escape(line)).join("\\r?\\n"), "g");
  let count = 0;
  const text = whole.replace(pattern, (found: string, at: number) => {
    count += 1;
    return old.includes("\r\n") && found === old
      ? replacement
      : withLineEnds(replacement, lineEndAt(whole, at, found));
  });
  return { bytes: encode(text, encoding), count };
}

/** Returns the line end inside the found text, of the line in which it ends, or of the line before. */
function lineEndAt(whole: string, at: number, found: string): "\n" | "\r\n" {
  const inside = found.indexOf("\n");
  const after = whole.indexOf("\n", at + found.length);
  const before = whole.lastIndexOf("\n", at - 1);
  const end = inside >= 0 ? at + inside : after >= 0 ? after : before;
  return end > 0 && whole[end - 1] === "\r" ? "\r\n" : "\n";
}

function withLineEnds(text: string, lineEnd: "\n" | "\r\n"): string {
  return lineEnd === "\n" ? text : text.replaceAll(/\r?\n/g, "\r\n");
}

function decode(bytes: Buffer, encoding: FileEncoding): string {
  if (encoding === "bytes") return bytes.toString("latin1");
  return (encoding === "utf16le" ? bytes : swapped(bytes)).toString("utf16le");
}

function encode(text: string, encoding: FileEncoding): Buffer {
  if (encoding === "bytes") return Buffer.from(text, "latin1");
  const bytes = Buffer.from(text, "utf16le");
  return encoding === "utf16le" ? bytes : swapped(bytes);
}

function swapped(bytes: Buffer): Buffer {
  return Buffer.from(bytes.subarray(0, bytes.length - (bytes.length % 2))).swap16();
}
