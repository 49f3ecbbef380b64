/** Limits of an organization as a whole or of each of its users, with their units in messages. */
export const LIMITS = {
  requests_per_second: "requests a second",
  request_burst: "requests at once",
  open_sessions: "open sessions",
  file_bytes: "bytes of files",
  running_turns: "turns at once",
  sandbox_seconds_per_day: "seconds of open sandboxes a day",
  disk_bytes: "bytes of session disks",
  spend_cents: "cents of model requests",
  spend_cents_per_day: "cents of model requests a day",
} as const;

export type LimitName = keyof typeof LIMITS;
export const LIMIT_NAMES = Object.keys(LIMITS) as LimitName[];

/** Values of limits; null means no limit. A missing name has the limit of the settings. */
export type LimitValues = Partial<Record<LimitName, number | null>>;

export function isLimitName(name: string): name is LimitName {
  return Object.hasOwn(LIMITS, name);
}

/** The largest number of 15 digits, which a JavaScript number represents exactly. */
const MAX_VALUE = 999_999_999_999_999;

/**
 * Parses a limit.
 * @throws an error whose message is a clause for the operator, to follow the given text.
 */
export function limitValue(name: LimitName, text: string): number {
  const least = name === "running_turns" ? 1 : 0;
  if (/^[0-9]{1,15}$/.test(text) && Number(text) >= least) return Number(text);
  throw new Error(`must be a whole number from ${least} to ${MAX_VALUE}`);
}
