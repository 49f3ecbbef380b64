import type { RemoteRefs } from "@berth/sandbox";
import type { SessionRepository } from "../resources/session-repository.ts";
import type { ListRefs } from "./make-template.ts";

type Listing = Promise<RemoteRefs | null>;

interface Asked {
  underWay: Listing;
  next: Listing | null;
}

/**
 * Asks a host once for all sessions that want to know the same with the same credential meanwhile. While one question is on its
 * way, those who come share the next, which begins after it: nobody gets an answer to a question that is older than its own.
 */
export function sharedLister(listRefs: ListRefs): (repository: SessionRepository) => Listing {
  const asked = new Map<string, Asked>();

  function ask(key: string, repository: SessionRepository): Listing {
    const underWay = listRefs(repository).finally(() => {
      if (asked.get(key)?.next === null) asked.delete(key);
    });
    asked.set(key, { underWay, next: null });
    return underWay;
  }

  return (repository) => {
    const { type, url, username, secret } = repository;
    const key = JSON.stringify([type, url, username, secret]);
    const former = asked.get(key);
    if (former === undefined) return ask(key, repository);
    former.next ??= former.underWay.then(
      () => ask(key, repository),
      () => ask(key, repository),
    );
    return former.next;
  };
}
