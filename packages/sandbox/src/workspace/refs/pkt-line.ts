/** A packet of git's wire format: a line, or one of the marks between them. */
export type Packet = { type: "line"; text: string } | { type: "flush" } | { type: "delimiter" };

/** Bytes that a packet takes at most, its length included. */
const LONGEST = 65_520;

/**
 * The packets one after another, each read when it is asked for. The last is null for what is no sequence of whole packets:
 * lengths that are none, a packet that is cut off, bytes that are no UTF-8.
 */
export function* packetsOf(bytes: Uint8Array): Generator<Packet | null> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  for (let at = 0; at < bytes.length; ) {
    const head = String.fromCharCode(...bytes.subarray(at, at + 4));
    const length = /^[0-9a-f]{4}$/i.test(head) ? Number.parseInt(head, 16) : Number.NaN;
    if (length === 0 || length === 1) {
      yield { type: length === 0 ? "flush" : "delimiter" };
      at += 4;
      continue;
    }
    if (!(length >= 4) || length > LONGEST || at + length > bytes.length) return yield null;
    let text: string;
    try {
      text = decoder.decode(bytes.subarray(at + 4, at + length));
    } catch {
      return yield null;
    }
    yield { type: "line", text };
    at += length;
  }
}

/** All of them, null where they are no whole sequence. */
export function readPackets(bytes: Uint8Array): Packet[] | null {
  const packets: Packet[] = [];
  for (const packet of packetsOf(bytes)) {
    if (packet === null) return null;
    packets.push(packet);
  }
  return packets;
}

/** @throws RangeError for a text that no packet holds. */
export function line(text: string): string {
  const length = Buffer.byteLength(text) + 4;
  if (length > LONGEST) throw new RangeError("the text is too long for a packet");
  return length.toString(16).padStart(4, "0") + text;
}

export const flush = "0000";
export const delimiter = "0001";
