import { getRandomValues } from "node:crypto";

/** The prefix of each kind's ids. */
export const ID_PREFIXES = {
  organization: "org",
  user: "usr",
  group: "grp",
  service_account: "svc",
  token: "tok",
  operator_token: "optok",
  device_authorization: "devauth",
  erasure: "erasure",
  agent: "agent",
  environment: "env",
  session: "sess",
  session_resource: "sesr",
  preview: "prv",
  confirmation_rule: "crule",
  event: "evt",
  file: "file",
  skill: "skill",
  skill_version: "skver",
  vault: "vault",
  vault_credential: "vcred",
  connection: "conn",
  webhook: "whk",
  webhook_delivery: "whd",
  deployment: "dep",
  deployment_run: "drun",
  trigger: "trg",
  trigger_delivery: "trgd",
  memory_store: "memstore",
  memory: "mem",
  memory_version: "memver",
} as const;

export type IdKind = keyof typeof ID_PREFIXES;

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const MAX_RANDOM = (1n << 74n) - 1n;
let lastMillisecond = 0n;
let lastRandom = 0n;
let idClock = () => Date.now();

/** Sets the clock of `newUuid`, in milliseconds since 1970. Default: the process's clock. */
export function setIdClock(now: () => number): void {
  idClock = now;
  lastMillisecond = 0n;
}

/**
 * Returns a new UUIDv7. Within this process every id is greater than the one before it, so that descending
 * order by id is newest first.
 */
export function newUuid(now: number = idClock()): string {
  const millisecond = BigInt(now) > lastMillisecond ? BigInt(now) : lastMillisecond;
  lastRandom = millisecond === lastMillisecond ? lastRandom + 1n + randomBits(32) : randomBits(73);
  lastMillisecond = millisecond;
  if (lastRandom > MAX_RANDOM) {
    lastMillisecond += 1n;
    lastRandom = randomBits(73);
  }
  return formatUuid(uuidBits(lastMillisecond, lastRandom));
}

/** Returns the smallest UUIDv7 of a millisecond, as a bound for `created_at` filters on ids. */
export function minUuidAt(millisecond: number): string {
  return formatUuid(uuidBits(BigInt(millisecond), 0n));
}

/** The two characters of an id for each value of ten bits. */
const PAIRS = Array.from(
  { length: 1_024 },
  (_, bits) => ALPHABET.charAt(bits >> 5) + ALPHABET.charAt(bits & 31),
);

const HYPHEN = "-".charCodeAt(0);
/** The value of each hexadecimal digit, by its character code. */
const DIGITS = new Map(
  [..."0123456789abcdefABCDEF"].map((digit) => [digit.charCodeAt(0), Number.parseInt(digit, 16)]),
);
/** The same for all codes below 128; 16 for codes that are not a digit. */
const DIGIT_OF_CODE = Uint8Array.from({ length: 128 }, (_, code) => DIGITS.get(code) ?? 16);

/**
 * Formats an id for the API: prefix, underscore, 26 characters of lower-case Crockford base32. Throws
 * `SyntaxError` when the text is not a UUID.
 */
export function formatId(kind: IdKind, uuid: string): string {
  if (uuid.length !== 36) throw notUuid(uuid);
  let text = `${ID_PREFIXES[kind]}_`;
  // The first two digits become two characters, and every five digits after them become four.
  let [bits, missing] = [0, 2];
  for (let at = 0; at < 36; at++) {
    const code = uuid.charCodeAt(at);
    if (at === 8 || at === 13 || at === 18 || at === 23) {
      if (code !== HYPHEN) throw notUuid(uuid);
      continue;
    }
    const digit = code < 128 ? (DIGIT_OF_CODE[code] as number) : 16;
    if (digit === 16) throw notUuid(uuid);
    bits = (bits << 4) | digit;
    if (--missing > 0) continue;
    if (at === 1) text += PAIRS[bits];
    else text += (PAIRS[bits >> 10] as string) + (PAIRS[bits & 1_023] as string);
    [bits, missing] = [0, 5];
  }
  return text;
}

/** Returns the UUID of an id, or null if the text is not an id of that kind. */
export function parseId(kind: IdKind, id: string): string | null {
  const prefix = `${ID_PREFIXES[kind]}_`;
  if (!id.startsWith(prefix) || id.length !== prefix.length + 26) return null;
  let bits = 0n;
  for (const character of id.slice(prefix.length)) {
    const value = ALPHABET.indexOf(character);
    if (value < 0) return null;
    bits = (bits << 5n) | BigInt(value);
  }
  return bits >> 128n === 0n ? formatUuid(bits) : null;
}

/** Returns the UUID of an id; for a malformed id the nil UUID, with which a lookup finds nothing. */
export function uuidOrNil(kind: IdKind, id: string): string {
  return parseId(kind, id) ?? "00000000-0000-0000-0000-000000000000";
}

/** Returns when the object was created, in milliseconds since 1970. */
export function uuidMillisecond(uuid: string): number {
  return Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16);
}

/** Returns the `created_at` of the object: ISO 8601, UTC, with milliseconds. */
export function uuidTimestamp(uuid: string): string {
  return new Date(uuidMillisecond(uuid)).toISOString();
}

/** Combines 48 bits of time, version 7, 12 bits, variant 2, 62 bits. */
function uuidBits(millisecond: bigint, random: bigint): bigint {
  const high = (random >> 62n) & 0xfffn;
  const low = random & ((1n << 62n) - 1n);
  return (millisecond << 80n) | (7n << 76n) | (high << 64n) | (2n << 62n) | low;
}

function formatUuid(bits: bigint): string {
  const hex = bits.toString(16).padStart(32, "0");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

function notUuid(text: string): SyntaxError {
  return new SyntaxError(`${JSON.stringify(text)} is not a uuid.`);
}

function randomBits(count: number): bigint {
  const bytes = randomBytes(Math.ceil(count / 8));
  const value = bytes.reduce((bits, byte) => (bits << 8n) | BigInt(byte), 0n);
  return value & ((1n << BigInt(count)) - 1n);
}

/** A buffer of random bytes, filled at once, since a call of the generator takes longer than the bytes. */
const random = new Uint8Array(1_024);
let used = random.length;

function randomBytes(count: number): Uint8Array {
  if (used + count > random.length) {
    getRandomValues(random);
    used = 0;
  }
  used += count;
  return random.subarray(used - count, used);
}
