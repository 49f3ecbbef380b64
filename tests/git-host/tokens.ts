import { randomBytes } from "node:crypto";

export type Access = "none" | "read" | "write";

export interface TokenOptions {
  user: string;
  /** `org/name` of each repository that the token can access; all by default. */
  repositories?: readonly string[];
  /** Access to the contents of repositories. */
  permissions: "read" | "write";
  /** Access to issues; by default as `permissions`. */
  issues?: Access;
  /** Access to pull requests; by default as `permissions`. */
  pullRequests?: Access;
  /** Whether it can read check runs, and commit statuses; by default both. */
  checks?: { runs: boolean; statuses: boolean };
  /** The account whose repositories alone it can access; any by default. */
  owner?: string;
  /** The scopes that the host's REST API shows; by default all that a person's token can have. */
  scopes?: readonly string[];
  /** Organizations with single sign-on that the token is authorized for; all by default. */
  authorizedFor?: readonly string[];
  /** Seconds until the token expires, an hour by default. Zero or less creates an expired token. */
  expiresInSeconds?: number;
}

export interface Token {
  user: string;
  permissions: "read" | "write";
  issues: Access;
  pullRequests: Access;
  checks: { runs: boolean; statuses: boolean };
  scopes: readonly string[];
  canAccess(repository: string): boolean;
  /** Returns false if the organization requires single sign-on and the token is not authorized for it. */
  isAuthorizedFor(org: string): boolean;
}

/** The credential in the `Authorization` header of a request. */
export type Credential = { kind: "none" } | { kind: "valid"; token: Token } | { kind: "invalid" };

/** The tokens of a git host. */
export class Tokens {
  readonly #tokens = new Map<string, Token & { expiresAt: number }>();

  create(options: TokenOptions): string {
    const value = `ght_${randomBytes(24).toString("hex")}`;
    const { user, permissions, repositories, authorizedFor, owner } = options;
    this.#tokens.set(value, {
      user,
      permissions,
      issues: options.issues ?? permissions,
      pullRequests: options.pullRequests ?? permissions,
      checks: options.checks ?? { runs: true, statuses: true },
      isAuthorizedFor: (org) => authorizedFor === undefined || authorizedFor.includes(org),
      scopes: options.scopes ?? ["api"],
      canAccess: (repository) =>
        (repositories === undefined || repositories.includes(repository)) &&
        (owner === undefined || repository.startsWith(`${owner}/`)),
      expiresAt: Date.now() + (options.expiresInSeconds ?? 3600) * 1000,
    });
    return value;
  }

  revoke(value: string): void {
    this.#tokens.delete(value);
  }

  /**
   * Reads `Basic` with the token as password and any user name (git), and `token` or `Bearer` (API clients).
   */
  check(authorization: string | undefined): Credential {
    if (authorization === undefined) return { kind: "none" };
    const [scheme = "", value = ""] = authorization.split(" ", 2);
    const token = this.#tokens.get(scheme.toLowerCase() === "basic" ? passwordOf(value) : value);
    return token !== undefined && token.expiresAt > Date.now()
      ? { kind: "valid", token }
      : { kind: "invalid" };
  }
}

/** Returns the user name of a Basic credential; null without one. */
export function userNameIn(authorization: string | undefined): string | null {
  const [scheme = "", value = ""] = (authorization ?? "").split(" ", 2);
  return scheme.toLowerCase() === "basic" ? pairOf(value)[0] : null;
}

function passwordOf(encoded: string): string {
  return pairOf(encoded)[1];
}

function pairOf(encoded: string): [user: string, password: string] {
  const decoded = Buffer.from(encoded, "base64").toString("utf8");
  const colon = decoded.indexOf(":");
  return [decoded.slice(0, colon), decoded.slice(colon + 1)];
}
