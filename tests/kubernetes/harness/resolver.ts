/** The DNS address of the test cluster's pods. It has a server only if a test starts one. */
export const RESOLVER = "10.96.0.10";

const HEADER_BYTES = 12;
const [ANSWERED, NO_SUCH_NAME] = [0x8580, 0x8583];
const TYPE_A = 1;
/** The head of an answer: the question's name, type A, class IN, a TTL of five seconds, four bytes. */
const ANSWER = Buffer.from([0xc0, HEADER_BYTES, 0, 1, 0, 1, 0, 0, 0, 5, 0, 4]);

/** Returns the response to a DNS query for an address. */
export function resolve(query: Buffer, names: ReadonlyMap<string, string>): Buffer {
  const { name, end } = nameOf(query);
  const address = names.get(name);
  const isAnswered = address !== undefined && query.readUInt16BE(end) === TYPE_A;
  const header = Buffer.alloc(HEADER_BYTES);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(address === undefined ? NO_SUCH_NAME : ANSWERED, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(isAnswered ? 1 : 0, 6);
  const answer = isAnswered ? [ANSWER, Buffer.from(address.split(".").map(Number))] : [];
  return Buffer.concat([header, query.subarray(HEADER_BYTES, end + 4), ...answer]);
}

function nameOf(query: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString("ascii", at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join(".").toLowerCase(), end: at + 1 };
}
