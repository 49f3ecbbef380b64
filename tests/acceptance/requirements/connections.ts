import type { Requirement } from "./requirement.ts";

export const connectionRequirements: readonly Requirement[] = [
  {
    id: "connection-crud",
    source: "issue Connected, 2",
    rule: "Connections to git hosts are of a GitHub App, GitLab, Gitea or Forgejo, Bitbucket, or any token; they have an owner, which is the organization if an admin or a service account says so, and are listed newest first, read, changed and deleted; their secrets are sealed and never returned.",
  },
  {
    id: "connection-bad-input",
    source: "issue Connected, 2",
    rule: "A connection with a private key that is none, a missing address, plain http that the installation does not allow, or another type on update is rejected with 400 and one sentence; nothing is stored.",
  },
  {
    id: "connection-test",
    source: "issue Connected, 2",
    rule: "POST …/test asks the host and answers ok and one sentence: for a wrong key, an installation that is gone, a host that answers 500, cannot be reached or may not be.",
  },
  {
    id: "connection-repositories",
    source: "issue Connected, 2",
    rule: "GET …/repositories?query= and …/branches list what a connection reaches, page by page; what the host rejects is a 409 with one sentence.",
  },
  {
    id: "connected-input",
    source: "issue Connected, 2",
    rule: "A session's repository may name connection_id in place of a token, a password and a user name: of its own host, and in the caller's reach.",
  },
  {
    id: "connected-tokens",
    source: "issue Connected, 2",
    rule: "Where the host can, each session gets a token of its own, for that repository and the access that it asks for; the token is in no answer, event, log, argument or config.",
  },
  {
    id: "connected-renewed",
    source: "issue Connected, 2",
    rule: "A session's token is renewed before it ends, also while a command runs.",
  },
  {
    id: "connected-revoked",
    source: "issue Connected, 2",
    rule: "A session's token is revoked when the session is archived or deleted; one that the host revokes in the middle of a push ends that push with what git says, and nothing is half done.",
  },
  {
    id: "connected-faults",
    source: "issue Connected, 2",
    rule: "A connection that makes no token is told as a failed clone, in one sentence, and the clone is tried again when its secret is replaced.",
  },
];
