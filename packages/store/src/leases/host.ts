/**
 * A service of the database, as its row of `hosts` describes it. A restart of the same installation is the
 * same host.
 */
export interface Host {
  /** The installation's id. */
  readonly id: string;
  /** Name of the machine or container from the operating system, for people; it is not unique. */
  readonly name: string;
  /** The place whose disks the host can use: the home of their sessions. */
  readonly place: string;
  readonly version: string;
  /** The host's role: `all`, `api` or `runner`. */
  readonly role: string;
  /** Digests, by name, of the settings that affect results. */
  readonly settings: Readonly<Record<string, string>>;
  /**
   * Milliseconds for which a host may be unseen before others take over its sessions, by the database's
   * clock. It is the same for all hosts.
   */
  readonly graceMs: number;
}

/** Returns the place of an installation's own disks, below its data directory. */
export function localPlace(installation: string): string {
  return `local:${installation}`;
}

/** Prefix of places whose disks several hosts can use, such as those of pods. */
export const SHARED_PLACES = "kubernetes:";

/** Returns whether several hosts can use the place's disks. */
export function isSharedPlace(place: string): boolean {
  return place.startsWith(SHARED_PLACES);
}

/** Maximum milliseconds between two marks of a host as seen. */
const MAX_BEAT_MS = 1_000;

/** Returns the milliseconds between two marks of a host as seen while it looks for work. */
export function beatMs(graceMs: number): number {
  return Math.min(MAX_BEAT_MS, graceMs / 4);
}

/**
 * Returns SQL for whether a host of the place was seen within the interval. Both parameters are SQL
 * expressions.
 */
export function isSeen(place: string, within: string): string {
  return `exists (select from hosts where hosts.place = ${place} and hosts.seen_at > now() - ${within})`;
}

/** Returns SQL that makes an interval of a parameter in milliseconds. */
export function milliseconds(parameter: string): string {
  return `${parameter}::double precision * interval '1 millisecond'`;
}
