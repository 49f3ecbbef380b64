/** The host of a repository, and how its CLI gets a token. */
export interface RepositoryProvider {
  /** Host name, with the port unless it is 443. */
  host: string;
  /** Variables of the provider's CLI that contain the repository's token. */
  token_env: readonly string[];
}

/** The data that commands need to access one repository. */
export interface RepositoryAccess {
  /** `https://host/org/name`, or http where that is allowed. */
  url: string;
  /** User name. Default: a name that hosts accept with any token. */
  username?: string;
  /** Token or password; null for a repository that is read without a credential. */
  secret: string | null;
  /** Provider of the repository; null for a host without a CLI. */
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
  /** Branch, tag, ref or commit to check out; null for the default branch. */
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
  /** Whether the same attempt may succeed later: a fault of the network, or a temporary one of the host. */
  transient: boolean;
  /** Milliseconds that the host asks to wait (`Retry-After`); null when it does not say. */
  retryAfterMs: number | null;
}

/**
 * Why files of Git LFS are still pointers. `absent`: the system has no git-lfs. `elsewhere`: their server is
 * not at the repository's host. `failed`: the server did not deliver them.
 */
export type MissingLfs = "absent" | "elsewhere" | "failed";

export type CloneResult =
  | { ok: true; commit: string; branch: string | null; seconds: number; missingLfs: MissingLfs | null }
  | CloneFault
  /** The sandbox was closed, or the signal aborted. */
  | { ok: false; type: "stopped" };

export interface CloneProgress {
  phase: "waiting" | "counting" | "receiving" | "resolving" | "checking_out";
  /** Percentage from 0 to 100; null when git reports none. */
  percent: number | null;
}
