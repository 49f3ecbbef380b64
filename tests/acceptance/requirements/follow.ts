import type { Requirement } from "./requirement.ts";

const source = "issue A pull request until it is merged";

export const followRequirements: readonly Requirement[] = [
  {
    ...{ id: "follow-until-merged", source },
    rule: "A session that follows its pull request is told of failed checks with the end of their log, of requested changes and of comments by people who may write to the repository, once each, and of nobody else's; after its push, the comments are answered at the host. GitHub, GitLab, Gitea and Bitbucket, by a given token or a connection.",
  },
  {
    ...{ id: "follow-stops", source },
    rule: "A follow stops when the request is merged or closed, when the branch has a commit that the session's clone did not push, and at its bounds, with an event and once with a comment on the request; set again, it begins anew.",
  },
  {
    ...{ id: "follow-one-session", source },
    rule: "Of two sessions on one pull request, the first that finds it follows it, and the follow of the second stops with a sentence.",
  },
  {
    ...{ id: "follow-conflicts", source },
    rule: "When the host says that the pull request cannot be merged, the agent is asked to merge its base or to rebase onto it, as the follow says.",
  },
  {
    ...{ id: "follow-foreign-text", source },
    rule: "What somebody wrote at the host reaches the agent only as a document with its author, cut to a bound; text decides neither who may ask nor what Berth does.",
  },
  {
    ...{ id: "follow-access", source },
    rule: "Without a credential that may read and write at the host, the follow stops with a sentence that says what is missing.",
  },
  {
    ...{ id: "follow-fields", source },
    rule: "A follow has defaults for its bounds, rejects others, and ends with its session.",
  },
];
