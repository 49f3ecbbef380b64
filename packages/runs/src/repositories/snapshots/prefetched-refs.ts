import type { RemoteRefs } from "@berth/sandbox";

/** Milliseconds. Access to a repository must be checked shortly before its use. */
const FRESH_MS = 10_000;

/**
 * Refs that were requested from hosts ahead of need, by the uuid of the resource. Each is taken once, and
 * only while it is fresh: layers of the system may be built or other repositories cloned before it is needed,
 * and a credential may be revoked meanwhile.
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

  /** Returns the prefetched refs, or null when the host must be asked now. */
  take(resourceId: string): Promise<RemoteRefs | null> | null {
    const prefetched = this.#refs.get(resourceId);
    this.#refs.delete(resourceId);
    return prefetched !== undefined && this.#now() - prefetched.at < FRESH_MS ? prefetched.refs : null;
  }
}
