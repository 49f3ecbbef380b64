import type { RemoteRefs } from "@berth/sandbox";
import type { SessionRepository } from "../inputs/session-repository.ts";
import type { ListRefs } from "./make-template.ts";

type Listing = Promise<RemoteRefs | null>;

interface Asked {
  underWay: Listing;
  next: Listing | null;
}

/** A host that does not answer holds nobody back for longer. */
const PATIENCE_MS = 1_000;

/**
 * Asks a host once for all sessions that want to know the same with the same credential meanwhile. While one question is on its
 * way, those who come share the next, which begins when it is answered or has waited for too long: nobody gets an answer to a
 * question that is older than its own.
 */
export function sharedLister(
  listRefs: ListRefs,
  patienceMs = PATIENCE_MS,
): (repository: SessionRepository) => Listing {
  const asked = new Map<string, Asked>();

  function ask(key: string, repository: SessionRepository): Listing {
    const question: Asked = { underWay: listRefs(repository), next: null };
    asked.set(key, question);
    const forget = () => {
      if (asked.get(key) === question && question.next === null) asked.delete(key);
    };
    question.underWay.then(forget, forget);
    return question.underWay;
  }

  return (repository) => {
    const { type, url, username, secret } = repository;
    const key = JSON.stringify([type, url, username, secret]);
    const former = asked.get(key);
    if (former === undefined) return ask(key, repository);
    former.next ??= overOrLate(former.underWay, patienceMs).then(() => ask(key, repository));
    return former.next;
  };
}

function overOrLate(listing: Listing, patienceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, patienceMs);
    const over = () => {
      clearTimeout(timer);
      resolve();
    };
    listing.then(over, over);
  });
}
