import type { Requirement } from "./requirement.ts";

export const gitRepositories: readonly Requirement[] = [
  {
    id: "git-repo-kind",
    source: "api 4",
    rule: "A repository of any git server is attached with type git_repository and a url of any depth, with or without .git; a url with credentials, a query or a fragment is rejected with 400, and so is http unless the installation allows the host.",
  },
  {
    id: "git-repo-shape",
    source: "api 4",
    rule: "A git_repository resource has id, type, url, username, mount_path, checkout, created_at and updated_at; no response contains its password. Default mount paths are numbered across hosted and generic repositories.",
  },
  {
    id: "git-repo-mounted",
    source: "api 4",
    rule: "A git_repository is cloned with its user name and password, also from a server with a private certificate authority, and the agent can push to it; no token variable of a provider's CLI contains its password.",
  },
  {
    id: "git-repo-http",
    source: "api 4",
    rule: "A repository is cloned over plain http when the installation allows its host.",
  },
  {
    id: "git-repo-rotation",
    source: "api 4",
    rule: "{password} replaces the password of a git_repository from the next git command on, also in an open shell; the credential field of the other repository type is rejected with 400.",
  },
  {
    id: "hosted-several",
    source: "seed 2.1",
    rule: "An installation can serve several hosted providers, each with its own token variables and certificate authority; each repository gets only its own token.",
  },
];
