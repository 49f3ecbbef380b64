import type { Requirement } from "./requirement.ts";

export const gitRepositories: readonly Requirement[] = [
  {
    id: "git-repo-kind",
    source: "api 4",
    rule: "A repository of any git server is attached as type git_repository with a url of any depth, with or without .git; credentials, a query or a fragment in it are refused with 400, and so is http where the installation does not allow the host.",
  },
  {
    id: "git-repo-shape",
    source: "api 4",
    rule: "A git_repository answers id, type, url, username, mount_path, checkout, created_at and updated_at; its password is in no answer. Its default mount is numbered together with those of hosted repositories.",
  },
  {
    id: "git-repo-mounted",
    source: "api 4",
    rule: "A git_repository is cloned with its user name and password, also from a server with an own authority, and the agent pushes to it; no variable of a provider's command-line tool holds its password.",
  },
  {
    id: "git-repo-http",
    source: "api 4",
    rule: "A server that speaks http alone is cloned from when the installation names its host.",
  },
  {
    id: "git-repo-rotation",
    source: "api 4",
    rule: "A git_repository's password is replaced by {password}, in force at the next git command, also in a shell that is open; the field of the other kind is refused with 400.",
  },
  {
    id: "hosted-several",
    source: "seed 2.1",
    rule: "An installation serves several hosted providers, each with its own token variables and authority; each repository gets its own token alone.",
  },
];
