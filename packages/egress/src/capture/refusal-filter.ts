import type { Instruction } from "@berth/linux";

const [BYTE, HALF, WORD] = [0x30, 0x28, 0x20];
/** Added to a load code: the offset is relative to the end of the IPv4 header. */
const AFTER_HEADER = 0x20;
const [TCP, ICMP, ICMP6] = [6, 1, 58];
const RESET_OF_UNKNOWN = 0x14;
const [PORT_UNREACHABLE, PORT_UNREACHABLE6] = [0x0303, 0x0104];
const KIND_OF_PACKET = 0xfffff004;
const OUTGOING = 4;
const MAX_BYTES = 128;

/**
 * Classic BPF program over packets, starting at their IP header. It accepts the packets by which the kernel
 * of a namespace refuses: the reset of a connection to a port where nothing listens (the only one with
 * sequence number zero), and the ICMP response to a datagram. It ignores traffic between programs of the
 * sandbox at loopback addresses.
 */
export const REFUSAL_FILTER: readonly Instruction[] = [
  // A packet socket on loopback gets each packet twice.
  load(WORD, KIND_OF_PACKET),
  ...never(OUTGOING),
  load(BYTE, 0),
  { code: 0x74, jumpTrue: 0, jumpFalse: 0, k: 4 },
  ...when(4, [
    { code: 0xb1, jumpTrue: 0, jumpFalse: 0, k: 0 },
    load(BYTE, 9),
    ...when(TCP, [
      ...[load(BYTE, 12), ...never(127)],
      ...[load(BYTE + AFTER_HEADER, 13), ...only(RESET_OF_UNKNOWN), load(WORD + AFTER_HEADER, 4), ...only(0)],
      accept(MAX_BYTES),
    ]),
    ...only(ICMP),
    ...[
      load(HALF + AFTER_HEADER, 0),
      ...only(PORT_UNREACHABLE),
      load(BYTE + AFTER_HEADER, 24),
      ...never(127),
    ],
    accept(MAX_BYTES),
  ]),
  ...only(6),
  load(BYTE, 6),
  ...when(TCP, [
    ...[load(BYTE, 53), ...only(RESET_OF_UNKNOWN), load(WORD, 44), ...only(0)],
    ...neverLoopback(8),
    accept(MAX_BYTES),
  ]),
  ...only(ICMP6),
  ...[load(HALF, 40), ...only(PORT_UNREACHABLE6)],
  ...neverLoopback(72),
  accept(MAX_BYTES),
];

/** Ignores packets from `::1`. It starts with zeros and ends with a one, as no other address in use does. */
function neverLoopback(at: number): Instruction[] {
  return [load(WORD, at), ...when(0, [load(WORD, at + 12), ...never(1)])];
}

function load(code: number, k: number): Instruction {
  return { code, jumpTrue: 0, jumpFalse: 0, k };
}

function accept(k: number): Instruction {
  return { code: 0x06, jumpTrue: 0, jumpFalse: 0, k };
}

function only(k: number): Instruction[] {
  return [{ code: 0x15, jumpTrue: 1, jumpFalse: 0, k }, accept(0)];
}

function never(k: number): Instruction[] {
  return [{ code: 0x15, jumpTrue: 0, jumpFalse: 1, k }, accept(0)];
}

function when(k: number, body: readonly Instruction[]): Instruction[] {
  return [{ code: 0x15, jumpTrue: 0, jumpFalse: body.length, k }, ...body];
}
