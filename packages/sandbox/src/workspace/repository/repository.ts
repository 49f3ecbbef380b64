/** Where a repository is hosted, and how its CLI gets a token. */
export interface RepositoryProvider {
  /** With a port where it is not 443. */
  host: string;
  /** Variables of the provider's CLI that hold the repository's token. */
  token_env: readonly string[];
}

/** What a session's commands need to reach one repository. */
export interface RepositoryAccess {
  /** As it is cloned: `https://host/org/name`, or http where that is allowed. */
  url: string;
  /** Default: a name that hosts of tokens accept. */
  username?: string;
  /** Null for one that is read without. */
  secret: string | null;
  /** Null for a server without a CLI of its own. */
  provider: RepositoryProvider | null;
}

export type RepositoryCheckout = { type: "branch"; name: string } | { type: "commit"; sha: string };

/** A repository to clone. Its credential comes with the environment. */
export interface RepositoryMount {
  url: string;
  /** Absolute path inside. */
  mountPath: string;
  /** Null: the default branch. */
  checkout: RepositoryCheckout | null;
}

export type CloneErrorType =
  | "repository_authentication_error"
  | "repository_forbidden_error"
  | "repository_not_found_error"
  | "repository_checkout_error"
  | "repository_clone_error";

export type CloneResult =
  | { ok: true; commit: string; branch: string | null; seconds: number }
  | { ok: false; type: CloneErrorType; message: string }
  /** The sandbox went away, or the signal aborted: nothing is known of the repository. */
  | { ok: false; type: "stopped" };

export interface CloneProgress {
  phase: "waiting" | "counting" | "receiving" | "resolving" | "checking_out";
  /** 0 to 100; null where git tells none. */
  percent: number | null;
}
