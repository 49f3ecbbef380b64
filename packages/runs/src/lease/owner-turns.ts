import type { Share } from "@berth/concurrency";

/** Owners of an organization (`group`) with uuids above `after`, up to `until`. */
export interface OwnerRange {
  group: string;
  after: string;
  until: string;
}

/** An owner, found in the range of this number. */
export interface RangedOwner extends Share {
  range: number;
}

const LEAST = "00000000-0000-0000-0000-000000000000";
const GREATEST = "ffffffff-ffff-ffff-ffff-ffffffffffff";
const MAX_ORGANIZATIONS = 10_000;

/** Whose turn it is among the owners of each organization: they have them in the order of their uuids, and then again from the first. */
export class OwnerTurns {
  /** Who was served last, by organization. The organization that was served last is the last one. */
  readonly #last = new Map<string, string>();

  served({ group, member }: Share): void {
    this.#last.delete(group);
    this.#last.set(group, member);
    const [oldest] = this.#last.keys();
    if (this.#last.size > MAX_ORGANIZATIONS && oldest !== undefined) this.#last.delete(oldest);
  }

  /** All owners, from the one whose turn it is. */
  of(group: string): OwnerRange[] {
    const last = this.#last.get(group);
    if (last === undefined) return [{ group, after: LEAST, until: GREATEST }];
    return [
      { group, after: last, until: GREATEST },
      { group, after: LEAST, until: last },
    ];
  }
}

/** What is left of ranges in which owners were looked for, at most `page` in each. */
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
