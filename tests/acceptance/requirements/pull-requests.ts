import type { Requirement } from "./requirement.ts";

export const pullRequestRequirements: readonly Requirement[] = [
  {
    id: "pull-request-opened",
    source: "seed 1",
    rule: "With a token that may, the agent opens a pull request for a branch that it has pushed by the provider's command-line tool, comments on it, and reads and comments on issues, without any login.",
  },
  {
    id: "pull-request-permission",
    source: "seed 2.1",
    rule: "What a token lacks is told to the agent in the provider's words, and nothing happens at the provider: pushing without write, opening a pull request or commenting without that permission, reading issues without theirs.",
  },
  {
    id: "single-sign-on",
    source: "seed 2.1",
    rule: "A token that was not authorized for an organization with single sign-on clones nothing there: the session is told repository_forbidden_error and goes on, and the command-line tool is told why.",
  },
];
