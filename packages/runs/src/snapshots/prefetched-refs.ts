import type { RemoteRefs } from "@berth/sandbox";

/** Access to a repository is checked now, and not before something that takes long. */
const FRESH_MS = 10_000;

/**
 * Refs that hosts were asked for ahead of need, by the uuid of the resource. Each is taken once, and only while it is
 * fresh: meanwhile layers of the system may be built or other repositories cloned, and a credential may be revoked.
 */
export class PrefetchedRefs {
  readonly #refs = new Map<string, { at: number; refs: Promise<RemoteRefs | null> }>();
  readonly #now: () => number;

  /** @param now milliseconds of a monotonic clock. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  add(resourceId: string, refs: Promise<RemoteRefs | null>): void {
    this.#refs.set(resourceId, { at: this.#now(), refs });
  }

  /** Returns null when the host is to be asked now. */
  take(resourceId: string): Promise<RemoteRefs | null> | null {
    const prefetched = this.#refs.get(resourceId);
    this.#refs.delete(resourceId);
    return prefetched !== undefined && this.#now() - prefetched.at < FRESH_MS ? prefetched.refs : null;
  }
}
