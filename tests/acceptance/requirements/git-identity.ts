import type { Requirement } from "./requirement.ts";

export const gitIdentityRequirements: readonly Requirement[] = [
  {
    id: "git-identity-fields",
    source: "api 4",
    rule: "An agent, an environment and a session have a git_identity with name and email, co_authored_by, or both, which is returned and can be updated and cleared; a name without an email, an empty one, or one with control characters or angle brackets is rejected with 400.",
  },
  {
    id: "git-identity-used",
    source: "api 4",
    rule: "Commits have the identity of the session, else of its environment, else of its agent; the co-author is found in the same way, and each commit made by git commit names it. A change applies when a sandbox is next opened. Commands may set another identity.",
  },
  {
    id: "git-identity-of-token",
    source: "api 4",
    rule: "When nobody gave an identity, commits have that of the account of the first hosted repository's token, with the address by which the host attributes commits; when the host does not tell the account, they have Berth's own.",
  },
];
