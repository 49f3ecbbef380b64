import type { Requirement } from "./requirement.ts";

export const pullRequestRequirements: readonly Requirement[] = [
  {
    id: "pull-request-opened",
    source: "seed 1",
    rule: "With a token that has the permissions, the agent uses the provider's CLI without a login to open a pull request for a branch that it has pushed, comment on it, and read and comment on issues.",
  },
  {
    id: "pull-request-permission",
    source: "seed 2.1",
    rule: "When a token lacks a permission, the agent sees the provider's error and nothing changes at the provider: pushing without write permission, opening a pull request or commenting without that permission, reading issues without theirs.",
  },
  {
    id: "cli-token-of-repository",
    source: "seed 2.1",
    rule: "With several repositories of one host and a token for each, the provider's CLI uses in each call the token of the repository that the call means (by -R, GH_REPO, a url or the working directory's remote), whether the tokens are in the container or inserted on the way; a call that means none uses the first one's.",
  },
  {
    id: "single-sign-on",
    source: "seed 2.1",
    rule: "A token that is not authorized for an organization with single sign-on cannot clone there: the session gets a repository_forbidden_error and continues, and the CLI shows the reason.",
  },
];
