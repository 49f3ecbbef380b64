import { getRandomValues } from "node:crypto";

/** The prefix of each kind's ids. */
export const ID_PREFIXES = {
  organization: "org",
  user: "usr",
  service_account: "svc",
  token: "tok",
  device_authorization: "devauth",
  agent: "agent",
  environment: "env",
  session: "sess",
  session_resource: "sesr",
  event: "evt",
  file: "file",
  skill: "skill",
  skill_version: "skver",
  vault: "vault",
  vault_credential: "vcred",
  memory_store: "memstore",
  memory: "mem",
  memory_version: "memver",
} as const;

export type IdKind = keyof typeof ID_PREFIXES;

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const MAX_RANDOM = (1n << 74n) - 1n;
let lastMillisecond = 0n;
let lastRandom = 0n;

/**
 * A new UUIDv7. Within this process every id is greater than the one before it, so that descending order by id is newest
 * first.
 */
export function newUuid(now: number = Date.now()): string {
  const millisecond = BigInt(now) > lastMillisecond ? BigInt(now) : lastMillisecond;
  lastRandom = millisecond === lastMillisecond ? lastRandom + 1n + randomBits(32) : randomBits(73);
  lastMillisecond = millisecond;
  if (lastRandom > MAX_RANDOM) {
    lastMillisecond += 1n;
    lastRandom = randomBits(73);
  }
  return formatUuid(uuidBits(lastMillisecond, lastRandom));
}

/** The smallest UUIDv7 of a millisecond, as a bound for `created_at` filters on ids. */
export function minUuidAt(millisecond: number): string {
  return formatUuid(uuidBits(BigInt(millisecond), 0n));
}

/** Two characters of an id for each value of ten bits. */
const PAIRS = Array.from(
  { length: 1_024 },
  (_, bits) => ALPHABET.charAt(bits >> 5) + ALPHABET.charAt(bits & 31),
);

/** The API's form of an id: prefix, underscore, 26 characters of lower-case Crockford base32. */
export function formatId(kind: IdKind, uuid: string): string {
  if (!UUID.test(uuid)) throw new SyntaxError(`${JSON.stringify(uuid)} is not a uuid.`);
  // The first two hexadecimal digits are two characters, and each five after them are four.
  const hex = uuid.slice(2, 8) + uuid.slice(9, 13) + uuid.slice(14, 18) + uuid.slice(19, 23) + uuid.slice(24);
  let text = `${ID_PREFIXES[kind]}_${PAIRS[Number.parseInt(uuid.slice(0, 2), 16)]}`;
  for (let at = 0; at < 30; at += 5) {
    const bits = Number.parseInt(hex.slice(at, at + 5), 16);
    text += `${PAIRS[bits >> 10]}${PAIRS[bits & 1_023]}`;
  }
  return text;
}

/** The UUID of an id, or null if the text is not an id of that kind. */
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

/** The UUID of an id, or the nil UUID, which no object has: a lookup by a malformed id then finds nothing. */
export function uuidOrNil(kind: IdKind, id: string): string {
  return parseId(kind, id) ?? "00000000-0000-0000-0000-000000000000";
}

/** When the object was created, in milliseconds since 1970. */
export function uuidMillisecond(uuid: string): number {
  return Number.parseInt(uuid.replaceAll("-", "").slice(0, 12), 16);
}

/** `created_at` of the object: ISO 8601, UTC, with milliseconds. */
export function uuidTimestamp(uuid: string): string {
  return new Date(uuidMillisecond(uuid)).toISOString();
}

/** 48 bits of time, version 7, 12 bits, variant 2, 62 bits. */
function uuidBits(millisecond: bigint, random: bigint): bigint {
  const high = (random >> 62n) & 0xfffn;
  const low = random & ((1n << 62n) - 1n);
  return (millisecond << 80n) | (7n << 76n) | (high << 64n) | (2n << 62n) | low;
}

function formatUuid(bits: bigint): string {
  const hex = bits.toString(16).padStart(32, "0");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

function randomBits(count: number): bigint {
  const bytes = getRandomValues(new Uint8Array(Math.ceil(count / 8)));
  const value = bytes.reduce((bits, byte) => (bits << 8n) | BigInt(byte), 0n);
  return value & ((1n << BigInt(count)) - 1n);
}
