/** A DNS query (RFC 1035) with exactly one question. */
export interface DnsQuery {
  id: number;
  /** Labels joined by dots, bytes as Latin-1; not validated. A dot inside a label is written as `\\.`. */
  name: string;
  type: number;
  recursionDesired: boolean;
  /**
   * The question as received. It is echoed byte for byte: some clients mix upper and lower case as a check.
   */
  question: Buffer;
}

export const DNS_TYPES = { A: 1, AAAA: 28 } as const;

export const RESPONSE_CODES = { noError: 0, nameError: 3 } as const;

const HEADER_BYTES = 12;
const TTL_SECONDS = 60;

/** Decodes a query. Returns null for anything but a standard query with exactly one question in class IN. */
export function decodeQuery(message: Buffer): DnsQuery | null {
  if (message.length < HEADER_BYTES + 5 || message.length > 4096) return null;
  const flags = message.readUInt16BE(2);
  const isStandardQuery = (flags & 0xf800) === 0;
  if (!isStandardQuery || message.readUInt16BE(4) !== 1) return null;
  const name = decodeName(message);
  if (name === null || name.end + 4 > message.length || message.readUInt16BE(name.end + 2) !== 1) return null;
  return {
    id: message.readUInt16BE(0),
    name: name.text,
    type: message.readUInt16BE(name.end),
    recursionDesired: (flags & 0x0100) !== 0,
    question: message.subarray(HEADER_BYTES, name.end + 4),
  };
}

/** Reads the name of the question. Compressed names are invalid here, since no name precedes the question. */
function decodeName(message: Buffer): { text: string; end: number } | null {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (;;) {
    const length = message[at];
    if (length === undefined || length > 63 || at - HEADER_BYTES > 254) return null;
    at += 1;
    if (length === 0) return { text: labels.join("."), end: at };
    if (at + length > message.length) return null;
    labels.push(message.toString("latin1", at, at + length).replaceAll(".", "\\."));
    at += length;
  }
}

/** Encodes a response with one A record when `address` (dotted IPv4) is given, otherwise with no record. */
export function encodeResponse(query: DnsQuery, code: number, address: string | null): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt16BE(query.id, 0);
  header.writeUInt16BE(0x8480 | (query.recursionDesired ? 0x0100 : 0) | code, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(address === null ? 0 : 1, 6);
  return Buffer.concat([header, query.question, ...(address === null ? [] : [addressRecord(address)])]);
}

function addressRecord(address: string): Buffer {
  const record = Buffer.alloc(16);
  record.writeUInt16BE(0xc000 | HEADER_BYTES, 0);
  record.writeUInt16BE(DNS_TYPES.A, 2);
  record.writeUInt16BE(1, 4);
  record.writeUInt32BE(TTL_SECONDS, 6);
  record.writeUInt16BE(4, 10);
  for (const [index, part] of address.split(".").entries()) record.writeUInt8(Number(part), 12 + index);
  return record;
}
