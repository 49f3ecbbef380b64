/** The head of an HTTP/1 request, read by its grammar alone. */
export interface RequestHead {
  kind: "head";
  method: string;
  /** As it was written: `/path`, `http://host/path`, `host:port` or `*`. */
  target: string;
  version: "1.0" | "1.1";
  headers: readonly Header[];
  /** Bytes up to the body, the empty line included. */
  length: number;
}

/** Name as it was written; value without the spaces around it. */
export type Header = readonly [name: string, value: string];

export type HeadReading = { kind: "more" } | { kind: "invalid" } | RequestHead;

const invalid: HeadReading = { kind: "invalid" };
const requestLine = /^([A-Z]{1,20}) ([\x21-\x7e]+) HTTP\/1\.([01])$/;
/** A name and what follows. Spaces around the value are cut by `trimmed`: patterns that do it take cubic time on hostile lines. */
const headerLine = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):([^\0\r\n]*)$/;

/**
 * Reads the first request's head, strictly: no folded lines, no bare line feeds, no space before a colon, and a body
 * whose end no two servers see in different places. Bytes are read as Latin-1. Never throws.
 */
export function readRequestHead(bytes: Buffer): HeadReading {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0) return mayBegin(bytes) ? { kind: "more" } : invalid;
  const [first = "", ...lines] = bytes.toString("latin1", 0, end).split("\r\n");
  const [, method, target, minor] = requestLine.exec(first) ?? [];
  const headers = lines.map(readHeader);
  if (method === undefined || target === undefined || !isWhole(headers)) return invalid;
  const version = minor === "1" ? "1.1" : "1.0";
  return isFramed(version, headers)
    ? { kind: "head", method, target, version, headers, length: end + 4 }
    : invalid;
}

/** The values of a header, whatever the case of its name. */
export function valuesOf(headers: readonly Header[], name: string): string[] {
  return headers.filter(([written]) => written.toLowerCase() === name).map(([, value]) => value);
}

/** Whether a method may stand at the start, so that another protocol is told from a slow client. */
function mayBegin(bytes: Buffer): boolean {
  return bytes.length === 0 || /^[A-Z]{1,20}(?: |$)/.test(bytes.toString("latin1", 0, 21));
}

function readHeader(line: string): Header | null {
  const [, name, value] = headerLine.exec(line) ?? [];
  return name === undefined || value === undefined ? null : [name, trimmed(value)];
}

function isWhole(headers: readonly (Header | null)[]): headers is Header[] {
  return !headers.includes(null);
}

/** One length or one `chunked`, never both: what two servers read differently hides a second request in a body. */
function isFramed(version: RequestHead["version"], headers: readonly Header[]): boolean {
  const lengths = valuesOf(headers, "content-length");
  const codings = valuesOf(headers, "transfer-encoding");
  if (codings.length === 0)
    return lengths.length === 0 || (lengths.length === 1 && /^[0-9]{1,15}$/.test(lengths[0] ?? ""));
  return (
    version === "1.1" && lengths.length === 0 && codings.length === 1 && /^chunked$/i.test(codings[0] ?? "")
  );
}

/** Without the spaces and tabs at both ends, in one pass. */
function trimmed(text: string): string {
  const isSpace = (at: number): boolean => text[at] === " " || text[at] === "\t";
  let [start, end] = [0, text.length];
  while (start < end && isSpace(start)) start += 1;
  while (end > start && isSpace(end - 1)) end -= 1;
  return text.slice(start, end);
}
