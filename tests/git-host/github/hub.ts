import type { Repositories } from "../repositories.ts";
import type { Token } from "../tokens.ts";
import { Project } from "./projects.ts";

export type GitHubErrorType = "NOT_FOUND" | "FORBIDDEN" | "UNPROCESSABLE";

/** An error with the message and `type` that GitHub's API returns. */
export class GitHubError extends Error {
  override readonly name = "GitHubError";
  readonly type: GitHubErrorType;
  readonly extensions: Readonly<Record<string, unknown>>;

  constructor(type: GitHubErrorType, message: string, extensions: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.type = type;
    this.extensions = extensions;
  }
}

/** A repository as seen with one token. */
export interface RepositoryView {
  org: string;
  name: string;
  project: Project;
  token: Token;
}

export interface GraphqlRequest {
  query: string;
  variables?: Readonly<Record<string, unknown>>;
  operationName?: string;
}

/** Answers a GraphQL request that was sent with a token. */
export type AnswerGraphql = (hub: Hub, token: Token, request: GraphqlRequest) => Promise<object>;

/** The projects of the repositories, and access to them by token. */
export class Hub {
  /** The base URL of its pages: `https://host`. */
  url = "";
  readonly repositories: Repositories;
  readonly graphql: AnswerGraphql | undefined;
  readonly #projects = new Map<string, Project>();

  constructor(repositories: Repositories, graphql?: AnswerGraphql) {
    this.repositories = repositories;
    this.graphql = graphql;
  }

  project(org: string, name: string): Project {
    const known = this.#projects.get(`${org}/${name}`) ?? new Project();
    this.#projects.set(`${org}/${name}`, known);
    return known;
  }

  /**
   * Returns a repository. Throws like GitHub: NOT_FOUND without access, FORBIDDEN if single sign-on is
   * required.
   */
  view(token: Token, org: string, name: string): RepositoryView {
    const found = this.repositories.find(`${org}/${name}`);
    const isHidden = found === null || (found.private && !token.canAccess(`${org}/${name}`));
    if (isHidden)
      throw new GitHubError("NOT_FOUND", `Could not resolve to a Repository with the name '${org}/${name}'.`);
    if (!token.isAuthorizedFor(org)) {
      throw new GitHubError(
        "FORBIDDEN",
        "Resource protected by organization SAML enforcement. You must grant your Personal Access token access to this organization.",
        { saml_failure: true },
      );
    }
    return { org, name, project: this.project(org, name), token };
  }

  /** Works like `view`, but also requires a permission of the token. */
  viewWith(token: Token, org: string, name: string, permission: Permission): RepositoryView {
    const view = this.view(token, org, name);
    requirePermission(token, permission);
    if (permission.access === "write" && !token.canAccess(`${org}/${name}`)) throw notAccessible();
    return view;
  }
}

export interface Permission {
  of: "issues" | "pullRequests";
  access: "read" | "write";
}

/** Throws GitHub's FORBIDDEN error if the token lacks the permission. */
export function requirePermission(token: Token, { of, access }: Permission): void {
  const granted = token[of];
  if (granted === "none" || (access === "write" && granted === "read")) throw notAccessible();
}

function notAccessible(): GitHubError {
  return new GitHubError("FORBIDDEN", "Resource not accessible by personal access token");
}
