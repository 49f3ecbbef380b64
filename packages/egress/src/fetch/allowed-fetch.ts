import { AddressRefused, type GuardedFetch } from "./guarded-fetch.ts";
import type { EgressDenied } from "../policy/types.ts";

/**
 * A guarded fetch that asks of each request whether its host is allowed, and tells each one that is refused, for whatever
 * reason. It rejects with `AddressRefused` as the guarded fetch does.
 */
export function allowedFetch(
  fetch: GuardedFetch,
  allows: (url: URL) => boolean,
  onDenied: (denied: EgressDenied) => void,
): GuardedFetch {
  return async (given, init) => {
    const url = new URL(given);
    try {
      if (allows(url)) return await fetch(url, init);
      const message = "The networking of the session's environment does not allow its host.";
      throw new AddressRefused(message, url, "not_allowed");
    } catch (error) {
      if (error instanceof AddressRefused) onDenied(error.denied);
      throw error;
    }
  };
}
