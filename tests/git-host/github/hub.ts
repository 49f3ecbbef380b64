import type { Repositories } from "../repositories.ts";
import type { Token } from "../tokens.ts";
import { Project } from "./projects.ts";
import { Refusal } from "./refusal.ts";

/** A repository of the double as one token sees it. */
export interface Sight {
  org: string;
  name: string;
  project: Project;
  token: Token;
}

/** Projects of the repositories, and what a token may do with them. */
export class Hub {
  /** Where its pages lie: `https://host`. */
  url = "";
  readonly repositories: Repositories;
  readonly #projects = new Map<string, Project>();

  constructor(repositories: Repositories) {
    this.repositories = repositories;
  }

  project(org: string, name: string): Project {
    const known = this.#projects.get(`${org}/${name}`) ?? new Project();
    this.#projects.set(`${org}/${name}`, known);
    return known;
  }

  /** Refuses as GitHub does: what a token does not reach is not there, and single sign-on is told. */
  open(token: Token, org: string, name: string): Sight {
    const found = this.repositories.find(`${org}/${name}`);
    const hidden = found === null || (found.private && !token.mayOpen(`${org}/${name}`));
    if (hidden)
      throw new Refusal("NOT_FOUND", `Could not resolve to a Repository with the name '${org}/${name}'.`);
    if (!token.isAuthorizedFor(org)) {
      throw new Refusal(
        "FORBIDDEN",
        "Resource protected by organization SAML enforcement. You must grant your Personal Access token access to this organization.",
        { saml_failure: true },
      );
    }
    return { org, name, project: this.project(org, name), token };
  }

  /** The same where the token needs a permission of its own besides. */
  openFor(token: Token, org: string, name: string, need: Need): Sight {
    const sight = this.open(token, org, name);
    requireAccess(token, need);
    if (need.access === "write" && !token.mayOpen(`${org}/${name}`)) throw notAccessible();
    return sight;
  }
}

/** A permission that a token may lack. */
export interface Need {
  of: "issues" | "pullRequests";
  access: "read" | "write";
}

export function requireAccess(token: Token, { of, access }: Need): void {
  const given = token[of];
  if (given === "none" || (access === "write" && given === "read")) throw notAccessible();
}

function notAccessible(): Refusal {
  return new Refusal("FORBIDDEN", "Resource not accessible by personal access token");
}
