/** What can be limited, for an organization as a whole or for each of its users, with the words of messages. */
export const LIMITS = {
  requests_per_second: "requests a second",
  request_burst: "requests at once",
  open_sessions: "open sessions",
  file_bytes: "bytes of files",
} as const;

export type LimitName = keyof typeof LIMITS;
export const LIMIT_NAMES = Object.keys(LIMITS) as LimitName[];

/** Null: no limit. A name that is missing has the limit of the settings. */
export type LimitValues = Partial<Record<LimitName, number | null>>;

export function isLimitName(name: string): name is LimitName {
  return Object.hasOwn(LIMITS, name);
}

/** @throws a clause for the operator, which follows what was given. */
export function limitValue(text: string): number {
  if (/^[0-9]{1,15}$/.test(text)) return Number(text);
  throw new Error("must be a whole number from 0 on");
}
