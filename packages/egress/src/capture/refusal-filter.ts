import type { Instruction } from "@berth/linux";

const [BYTE, HALF, WORD] = [0x30, 0x28, 0x20];
/** Added to a load: from the end of the IPv4 header on. */
const BEHIND = 0x20;
const [TCP, ICMP, ICMP6] = [6, 1, 58];
const RESET_OF_UNKNOWN = 0x14;
const [PORT_UNREACHABLE, PORT_UNREACHABLE6] = [0x0303, 0x0104];
const KIND_OF_PACKET = 0xfffff004;
const OUTGOING = 4;
const LONGEST = 128;

/**
 * Classic BPF, over packets from their IP header on, that lets through with what the kernel of a namespace refuses: the reset by
 * which it answers a connection to a port where nobody listens (it alone has the number zero), and the ICMP by which it answers a
 * datagram. Not what programs of the sandbox ask of each other at loopback addresses.
 */
export const refusalFilter: readonly Instruction[] = [
  // Loopback shows each packet twice.
  load(WORD, KIND_OF_PACKET),
  ...never(OUTGOING),
  load(BYTE, 0),
  { code: 0x74, jumpTrue: 0, jumpFalse: 0, k: 4 },
  ...when(4, [
    { code: 0xb1, jumpTrue: 0, jumpFalse: 0, k: 0 },
    load(BYTE, 9),
    ...when(TCP, [
      ...[load(BYTE, 12), ...never(127)],
      ...[load(BYTE + BEHIND, 13), ...only(RESET_OF_UNKNOWN), load(WORD + BEHIND, 4), ...only(0)],
      answer(LONGEST),
    ]),
    ...only(ICMP),
    ...[load(HALF + BEHIND, 0), ...only(PORT_UNREACHABLE), load(BYTE + BEHIND, 24), ...never(127)],
    answer(LONGEST),
  ]),
  ...only(6),
  load(BYTE, 6),
  ...when(TCP, [
    ...[load(BYTE, 53), ...only(RESET_OF_UNKNOWN), load(WORD, 44), ...only(0)],
    ...neverLoopback(8),
    answer(LONGEST),
  ]),
  ...only(ICMP6),
  ...[load(HALF, 40), ...only(PORT_UNREACHABLE6)],
  ...neverLoopback(72),
  answer(LONGEST),
];

/** `::1` begins with zeros and ends with a one; no other address that anything has does. */
function neverLoopback(at: number): Instruction[] {
  return [load(WORD, at), ...when(0, [load(WORD, at + 12), ...never(1)])];
}

function load(code: number, k: number): Instruction {
  return { code, jumpTrue: 0, jumpFalse: 0, k };
}

function answer(k: number): Instruction {
  return { code: 0x06, jumpTrue: 0, jumpFalse: 0, k };
}

function only(k: number): Instruction[] {
  return [{ code: 0x15, jumpTrue: 1, jumpFalse: 0, k }, answer(0)];
}

function never(k: number): Instruction[] {
  return [{ code: 0x15, jumpTrue: 0, jumpFalse: 1, k }, answer(0)];
}

function when(k: number, body: readonly Instruction[]): Instruction[] {
  return [{ code: 0x15, jumpTrue: 0, jumpFalse: body.length, k }, ...body];
}
