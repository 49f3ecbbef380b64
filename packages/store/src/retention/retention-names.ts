/**
 * Objects that are deleted when they are old, by their names in settings, with the definition of their age.
 */
export const RETAINED = {
  sessions: "days since anything happened in a session",
  events: "days since a session was archived or terminated",
  files: "days since a file was uploaded or saved",
} as const;

export type RetainedName = keyof typeof RETAINED;
export const RETAINED_NAMES = Object.keys(RETAINED) as RetainedName[];

/** Days by name; null keeps objects forever. A missing name has the days of the settings. */
export type RetentionDays = Partial<Record<RetainedName, number | null>>;

export function isRetainedName(name: string): name is RetainedName {
  return Object.hasOwn(RETAINED, name);
}

/**
 * Parses a number of days.
 * @throws an error whose message is a clause for the operator, to follow the given text.
 */
export function retentionDays(text: string): number {
  if (/^[1-9][0-9]{0,4}$/.test(text)) return Number(text);
  throw new Error("must be a whole number of days from 1 to 99999");
}
