import type { Requirement } from "./requirement.ts";

export const gitIdentityRequirements: readonly Requirement[] = [
  {
    id: "git-identity-fields",
    source: "api 4",
    rule: "An agent, an environment and a session have a git_identity with name and email, co_authored_by, session_owner, or several of them, which is returned and can be updated and cleared; a name without an email, an empty one, or one with control characters or angle brackets is rejected with 400.",
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
  {
    id: "git-identity-owner",
    source: "issue 30, line 2",
    rule: "With session_owner, commits name the user who owns the session: as co-author of the agent, or as author with the agent as committer and co-author. It is found as the co-author is. A session of a service account names nobody.",
  },
  {
    id: "commits-signed",
    source: "issue 30, line 2",
    rule: "In the sessions of an organization with commit_signing, git signs commits, and tags of `git tag -s`, with the organization's key, whatever hosts the environment allows. The private key is not in the sandbox, and signs for its organization alone. Once the key is deleted nothing is signed with it.",
  },
];
