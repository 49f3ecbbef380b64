/** The head of an HTTP/1 request. Only its grammar has been checked. */
export interface RequestHead {
  kind: "head";
  method: string;
  /** Request target as received: `/path`, `http://host/path`, `host:port` or `*`. */
  target: string;
  version: "1.0" | "1.1";
  headers: readonly Header[];
  /** Number of bytes before the body, including the empty line. */
  length: number;
}

/** Header name as received, and value without surrounding spaces. */
export type Header = readonly [name: string, value: string];

export type HeadReading = { kind: "more" } | { kind: "invalid" } | RequestHead;

const INVALID: HeadReading = { kind: "invalid" };
const REQUEST_LINE = /^([A-Z]{1,20}) ([\x21-\x7e]+) HTTP\/1\.([01])$/;
/**
 * The pattern does not trim the value; `trimmed` does. Patterns that trim take cubic time on hostile lines.
 */
const HEADER_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):([^\0\r\n]*)$/;

/**
 * Reads the head of the first request strictly: no folded lines, no bare line feeds, no space before a colon,
 * and framing that every server reads in the same way. Bytes are read as Latin-1. Never throws.
 */
export function readRequestHead(bytes: Buffer): HeadReading {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0) return mayBegin(bytes) ? { kind: "more" } : INVALID;
  const [first = "", ...lines] = bytes.toString("latin1", 0, end).split("\r\n");
  const [, method, target, minor] = REQUEST_LINE.exec(first) ?? [];
  const headers = lines.map(readHeader);
  if (method === undefined || target === undefined || !isWhole(headers)) return INVALID;
  const version = minor === "1" ? "1.1" : "1.0";
  return isFramed(version, headers)
    ? { kind: "head", method, target, version, headers, length: end + 4 }
    : INVALID;
}

/** Returns the values of a header. `name` is in lower case; names in the head match in any case. */
export function valuesOf(headers: readonly Header[], name: string): string[] {
  return headers.filter(([written]) => written.toLowerCase() === name).map(([, value]) => value);
}

/** Returns whether `bytes` may start a request line, to tell another protocol from a slow client. */
function mayBegin(bytes: Buffer): boolean {
  return bytes.length === 0 || /^[A-Z]{1,20}(?: |$)/.test(bytes.toString("latin1", 0, 21));
}

function readHeader(line: string): Header | null {
  const [, name, value] = HEADER_LINE.exec(line) ?? [];
  return name === undefined || value === undefined ? null : [name, trimmed(value)];
}

function isWhole(headers: readonly (Header | null)[]): headers is Header[] {
  return !headers.includes(null);
}

/**
 * Returns whether the framing is one length or one `chunked`, never both. If two servers read the framing
 * differently, a body can hide a request.
 */
function isFramed(version: RequestHead["version"], headers: readonly Header[]): boolean {
  const lengths = valuesOf(headers, "content-length");
  const codings = valuesOf(headers, "transfer-encoding");
  if (codings.length === 0)
    return lengths.length === 0 || (lengths.length === 1 && /^[0-9]{1,15}$/.test(lengths[0] ?? ""));
  return (
    version === "1.1" && lengths.length === 0 && codings.length === 1 && /^chunked$/i.test(codings[0] ?? "")
  );
}

/** Removes spaces and tabs at both ends, in linear time. */
function trimmed(text: string): string {
  const isSpace = (at: number): boolean => text[at] === " " || text[at] === "\t";
  let [start, end] = [0, text.length];
  while (start < end && isSpace(start)) start += 1;
  while (end > start && isSpace(end - 1)) end -= 1;
  return text.slice(start, end);
}
