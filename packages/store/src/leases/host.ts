/** A service of the database, as its row of `hosts` describes it. A restart of the same installation is the same host. */
export interface Host {
  /** The installation's id. */
  readonly id: string;
  /** Of the machine or container, as the operating system tells it: for people, and not unique. */
  readonly name: string;
  /** Where the disks are that it can use: the home of their sessions. */
  readonly place: string;
  readonly version: string;
  /** What it does: `all`, `api` or `runner`. */
  readonly role: string;
  /** Digests of the settings that decide results, by name. */
  readonly settings: Readonly<Record<string, string>>;
  /** How long a host may be unseen before others take its sessions over, by the database's clock. The same for all hosts. */
  readonly graceMs: number;
}

/** The place of an installation's own disks, below its data directory. */
export function localPlace(installation: string): string {
  return `local:${installation}`;
}

/** How places begin whose disks several hosts can use, as those of pods. */
export const SHARED_PLACES = "kubernetes:";

export function isSharedPlace(place: string): boolean {
  return place.startsWith(SHARED_PLACES);
}

/** Hosts are marked as seen at most this often. */
const MAX_BEAT_MS = 1_000;

/** How often a host is marked as seen while it looks for work. */
export function beatMs(graceMs: number): number {
  return Math.min(MAX_BEAT_MS, graceMs / 4);
}

/** SQL: whether a host of the place was seen within the interval. Both are SQL expressions. */
export function isSeen(place: string, within: string): string {
  return `exists (select from hosts where hosts.place = ${place} and hosts.seen_at > now() - ${within})`;
}

/** SQL: a parameter's milliseconds as an interval. */
export function milliseconds(parameter: string): string {
  return `${parameter}::double precision * interval '1 millisecond'`;
}
