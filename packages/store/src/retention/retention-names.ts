/** What is deleted when it is old, by the name in settings, with what counts as its age. */
export const RETAINED = {
  sessions: "days since anything happened in a session",
  events: "days since a session was archived or terminated",
  files: "days since a file was uploaded or saved",
} as const;

export type RetainedName = keyof typeof RETAINED;
export const RETAINED_NAMES = Object.keys(RETAINED) as RetainedName[];

/** Days. Null: kept without end. A name that is missing has the days of the settings. */
export type RetentionDays = Partial<Record<RetainedName, number | null>>;

export function isRetainedName(name: string): name is RetainedName {
  return Object.hasOwn(RETAINED, name);
}

/** @throws a clause for the operator, which follows what was given. */
export function retentionDays(text: string): number {
  if (/^[1-9][0-9]{0,4}$/.test(text)) return Number(text);
  throw new Error("must be a whole number of days from 1 to 99999");
}
