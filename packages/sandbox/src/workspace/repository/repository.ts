/** The host of a repository, and how its CLI gets a token. */
export interface RepositoryProvider {
  /** With the port unless it is 443. */
  host: string;
  /** Variables of the provider's CLI that hold the repository's token. */
  token_env: readonly string[];
}

/** What commands need to access one repository. */
export interface RepositoryAccess {
  /** `https://host/org/name`, or http where that is allowed. */
  url: string;
  /** Default: a name that hosts accept with any token. */
  username?: string;
  /** Null for a repository that is read without a credential. */
  secret: string | null;
  /** Null for a host without a CLI. */
  provider: RepositoryProvider | null;
}

export type RepositoryCheckout =
  | { type: "branch" | "tag" | "ref"; name: string }
  | { type: "commit"; sha: string };

/** A repository to clone. Its credential is in the command's environment. */
export interface RepositoryMount {
  url: string;
  /** Absolute path in the sandbox. */
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

export interface CloneFault {
  ok: false;
  type: CloneErrorType;
  message: string;
  /** The same attempt may succeed later: the fault is of the network, or of the host for a while. */
  transient: boolean;
  /** How long the host asks to wait (`Retry-After`); null when it does not say. */
  retryAfterMs: number | null;
}

/**
 * Why files of Git LFS are still pointers: the system has no git-lfs; their server is not at the repository's host; it did not give
 * them.
 */
export type MissingLfs = "absent" | "elsewhere" | "failed";

export type CloneResult =
  | { ok: true; commit: string; branch: string | null; seconds: number; missingLfs: MissingLfs | null }
  | CloneFault
  /** The sandbox was closed, or the signal aborted. */
  | { ok: false; type: "stopped" };

export interface CloneProgress {
  phase: "waiting" | "counting" | "receiving" | "resolving" | "checking_out";
  /** 0 to 100; null where git reports none. */
  percent: number | null;
}
