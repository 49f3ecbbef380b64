import { LeastRecent, type Share } from "@berth/concurrency";
import type { Queryable } from "@berth/store/db";
import { type FullOwners, NONE_FULL } from "@berth/store/leases";
import { claimOfOwners, type SharedLease } from "./claim-of-owners.ts";
import type { Claimant } from "./claim-runs.ts";
import { dueOrganizations, dueOwners } from "./due-owners.ts";
import { OwnerTurns, ownersBehind } from "./owner-turns.ts";

export interface SharedClaim {
  leases: SharedLease[];
  /** Whether other sessions may be due: the limit was reached, or another process claimed the same. */
  mayLeaveDue: boolean;
}

interface Excluded {
  /** Owners of which no session is claimed. Default: nobody. */
  without?: readonly Share[];
  /** An organization of which no session is claimed. Default: none. */
  withoutOrganization?: string | null;
  /** Owners that may have no further turn. Default: nobody. */
  full?: FullOwners;
}

/** The least number of organizations, and of owners of each, that one statement considers. */
const LEAST_PAGE = 8;

/**
 * Claims due sessions while there are more of them than slots: from the least recently served organization,
 * and in it from each owner in turn. So an organization with a thousand due sessions, of however many users,
 * delays another's turn by one. Each process knows only what it served itself, and takes first what it has
 * not served for the longest time.
 */
export class SharedClaims {
  readonly #served = new LeastRecent();
  readonly #turns = new OwnerTurns();

  /** Leases up to `limit` sessions: one of each organization, then the second of each, and so on. */
  async claim(
    db: Queryable,
    claimant: Claimant,
    limit: number,
    { without = [], withoutOrganization = null, full = NONE_FULL }: Excluded = {},
  ): Promise<SharedClaim> {
    const excluded = new Set(without.map(nameOf));
    const page = Math.max(limit, LEAST_PAGE);
    const due = limit === 0 ? [] : await dueOrganizations(db);
    const organizations = this.#inOrder(due.filter((id) => id !== withoutOrganization));
    const leases: SharedLease[] = [];
    let isContended = false;
    for (let at = 0; at < organizations.length && leases.length < limit; at += page) {
      let ranges = organizations.slice(at, at + page).flatMap((group) => this.#turns.of(group));
      while (ranges.length > 0 && leases.length < limit) {
        const owners = await dueOwners(db, ranges, page);
        const wanted = owners.filter((owner) => !excluded.has(nameOf(owner)));
        const claimed = await claimOfOwners(db, claimant, wanted, { limit: limit - leases.length, full });
        for (const { share } of claimed.leases) this.served(share);
        leases.push(...claimed.leases);
        isContended ||= claimed.isContended;
        ranges = ownersBehind(ranges, owners, page);
      }
    }
    return { leases, mayLeaveDue: isContended || leases.length === limit };
  }

  /** Records that a session of this owner was claimed in another way. */
  served(owner: Share): void {
    this.#served.served(owner.group);
    this.#turns.served(owner);
  }

  #inOrder(organizations: readonly string[]): string[] {
    return organizations.toSorted((one, other) => this.#served.last(one) - this.#served.last(other));
  }
}

function nameOf({ group, member }: Share): string {
  return `${group} ${member}`;
}
