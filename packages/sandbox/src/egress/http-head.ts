/** What the head of a plain HTTP request says. `host` is the Host header, not validated, a port included. */
export type HttpHead = { kind: "more" } | { kind: "invalid" } | { kind: "head"; host: string };

const invalid: HttpHead = { kind: "invalid" };
const requestLine = /^[A-Z]{1,20} (\/[\x21-\x7e]*|\*|http:\/\/[\x21-\x7e]+) HTTP\/1\.[01]$/;
/** A name and what follows. Spaces around the value are cut by `trimmed`: patterns that do it take cubic time on hostile lines. */
const headerLine = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):([^\0\r\n]*)$/;

/**
 * Reads the first request's head, strictly: one Host header, no folded lines, no bare line feeds, no `CONNECT`, and a
 * target that names no other host. Bytes are read as Latin-1. Never throws.
 */
export function readHttpHead(bytes: Buffer): HttpHead {
  const end = bytes.indexOf("\r\n\r\n");
  if (bytes.length > 0 && !/^[A-Z]/.test(bytes.toString("latin1", 0, 1))) return invalid;
  if (end < 0) return { kind: "more" };
  const text = bytes.toString("latin1", 0, end);
  const [first = "", ...lines] = text.split("\r\n");
  const target = requestLine.exec(first)?.[1];
  const hosts = hostHeaders(lines);
  const host = hosts?.[0];
  if (target === undefined || hosts === null || host === undefined || hosts.length > 1) return invalid;
  return targetFits(target, host) ? { kind: "head", host } : invalid;
}

/**
 * The bytes of a request that `readHttpHead` accepted, with a head that asks the server to close after its answer: only this
 * request's Host was checked, so there is to be no second one on the connection.
 */
export function closingRequest(bytes: Buffer): Buffer {
  const end = bytes.indexOf("\r\n\r\n");
  const [first = "", ...lines] = bytes.toString("latin1", 0, Math.max(end, 0)).split("\r\n");
  const kept = lines.filter((line) => !/^(connection|keep-alive|proxy-connection):/i.test(line));
  const upgrades = kept.some((line) => /^upgrade:/i.test(line));
  const head = [first, ...kept, `Connection: ${upgrades ? "upgrade, close" : "close"}`].join("\r\n");
  return Buffer.concat([Buffer.from(head, "latin1"), bytes.subarray(end)]);
}

/** Null when a line is not a header. */
function hostHeaders(lines: readonly string[]): string[] | null {
  const headers = lines.map((line) => headerLine.exec(line));
  if (headers.includes(null)) return null;
  return headers.flatMap((header) =>
    header?.[1]?.toLowerCase() === "host" ? [trimmed(header[2] ?? "")] : [],
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

function targetFits(target: string, host: string): boolean {
  if (!target.startsWith("http://")) return true;
  const authority = target.slice("http://".length).split(/[/?#]/, 1)[0] ?? "";
  return authority.toLowerCase() === host.toLowerCase();
}
