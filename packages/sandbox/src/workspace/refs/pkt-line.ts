/** A packet of git's pkt-line format. */
export type Packet = { type: "line"; text: string } | { type: "flush" } | { type: "delimiter" };

/** Maximum packet length, including the four digits of the length. */
const MAX_PACKET_BYTES = 65_520;

/**
 * Parses packets lazily. Yields null and stops at the first invalid one: an invalid length, a truncated
 * packet, or bytes that are not UTF-8.
 */
export function* parsePackets(bytes: Uint8Array): Generator<Packet | null> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  for (let at = 0; at < bytes.length; ) {
    const head = String.fromCharCode(...bytes.subarray(at, at + 4));
    const length = /^[0-9a-f]{4}$/i.test(head) ? Number.parseInt(head, 16) : Number.NaN;
    if (length === 0 || length === 1) {
      yield { type: length === 0 ? "flush" : "delimiter" };
      at += 4;
      continue;
    }
    if (!(length >= 4) || length > MAX_PACKET_BYTES || at + length > bytes.length) return yield null;
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

/** Parses all packets. Returns null when any is invalid. */
export function readPackets(bytes: Uint8Array): Packet[] | null {
  const packets: Packet[] = [];
  for (const packet of parsePackets(bytes)) {
    if (packet === null) return null;
    packets.push(packet);
  }
  return packets;
}

/** Encodes a text as a packet. @throws RangeError when it is too long. */
export function encodeLine(text: string): string {
  const length = Buffer.byteLength(text) + 4;
  if (length > MAX_PACKET_BYTES) throw new RangeError("the text is too long for a packet");
  return length.toString(16).padStart(4, "0") + text;
}

export const FLUSH = "0000";
export const DELIMITER = "0001";
