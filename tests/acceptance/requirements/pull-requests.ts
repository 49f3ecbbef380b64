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
  {
    id: "pull-request-state",
    source: "issue From diff to merge, 4",
    rule: "GET …/pull_requests says for each repository which pull or merge requests have the session's branches as heads, with title, state, checks and reviews, from GitHub, GitLab, Gitea and Bitbucket, by a given token or a connection; texts are bounded and masked, and addresses are of the host itself.",
  },
  {
    id: "pull-request-asked-once",
    source: "issue From diff to merge, 4",
    rule: "A host is asked only while somebody looks, once for all who look at the same time, and not again before the answer is as old as the reader allows, at least five seconds.",
  },
  {
    id: "pull-request-branches",
    source: "issue From diff to merge, 4",
    rule: "A host is asked for branches of the session that were pushed or that it checked out as it was created; else it is not asked.",
  },
  {
    id: "pull-request-faults",
    source: "issue From diff to merge, 4",
    rule: "A host that answers 500 or limits requests, a wrong key of an app, an installation that is gone, a repository that moved, a missing permission and a host whose API is not known are one sentence each in the answer; what the host said before stays, and a host that names a time is not asked before.",
  },
  {
    id: "pull-request-after-end",
    source: "issue From diff to merge, 4",
    rule: "After the session's end its given tokens are not used to ask, and what is known stays; its connections go on asking, with tokens that are revoked at once.",
  },
  {
    id: "pull-request-rights",
    source: "issue From diff to merge, 4",
    rule: "Who may read a session may read its pull requests, and nobody else.",
  },
];
