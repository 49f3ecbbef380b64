import type { Share } from "@berth/concurrency";

/** Owners of an organization (`group`) with uuids above `after`, up to `until`. */
export interface OwnerRange {
  group: string;
  after: string;
  until: string;
}

/** An owner with the index of the range in which it was found. */
export interface RangedOwner extends Share {
  range: number;
}

const LEAST = "00000000-0000-0000-0000-000000000000";
const GREATEST = "ffffffff-ffff-ffff-ffff-ffffffffffff";
const MAX_ORGANIZATIONS = 10_000;

/** Schedules the owners of each organization round-robin, in the order of their uuids. */
export class OwnerTurns {
  /** The owner that was served last, by organization. The last entry is the last served organization. */
  readonly #last = new Map<string, string>();

  served({ group, member }: Share): void {
    this.#last.delete(group);
    this.#last.set(group, member);
    const [oldest] = this.#last.keys();
    if (this.#last.size > MAX_ORGANIZATIONS && oldest !== undefined) this.#last.delete(oldest);
  }

  /** Returns the ranges of all owners, beginning with the owner whose turn is next. */
  of(group: string): OwnerRange[] {
    const last = this.#last.get(group);
    if (last === undefined) return [{ group, after: LEAST, until: GREATEST }];
    return [
      { group, after: last, until: GREATEST },
      { group, after: LEAST, until: last },
    ];
  }
}

/** Returns the rest of the ranges after a search that found at most `page` owners in each. */
export function ownersBehind(
  ranges: readonly OwnerRange[],
  owners: readonly RangedOwner[],
  page: number,
): OwnerRange[] {
  return ranges.flatMap((range, number) => {
    const found = owners.filter((owner) => owner.range === number);
    const last = found.at(-1);
    return last === undefined || found.length < page ? [] : [{ ...range, after: last.member }];
  });
}
