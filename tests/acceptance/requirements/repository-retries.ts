import type { Requirement } from "./requirement.ts";

export const repositoryRetries: readonly Requirement[] = [
  {
    id: "repo-retry-rotation",
    source: "seed 2.1",
    rule: "A token that is replaced while its repository is cloned, or after the clone failed, is tried at once, also when it is the same token; the turn that runs gets the repository.",
  },
  {
    id: "repo-retry-transient",
    source: "api 4",
    rule: "A clone that fails because its host is unavailable, limits requests or drops the connection is retried while the agent's first command waits, each time with a session.error that is retrying; Retry-After is honoured.",
  },
  {
    id: "repo-retry-exhausted",
    source: "api 4",
    rule: "When the retries of a clone have failed, a session.error is exhausted, and each later turn tries the clone once more; an interrupt ends the turn that waits for a retry, and a session can be deleted meanwhile.",
  },
  {
    id: "repo-retry-final",
    source: "api 4",
    rule: "A clone that was denied, not found or has no such branch fails once and is terminal; it is tried again when the environment's networking changes or on request.",
  },
  {
    id: "repo-retry-request",
    source: "api 4",
    rule: "{retry: true} tries a failed clone again at once; it is rejected with 409 when the clone has not failed or the session is terminated, and with 400 for another kind of resource.",
  },
];
