import type { Requirement } from "./requirement.ts";

export const environmentContents: readonly Requirement[] = [
  {
    id: "environment-packages",
    source: "api 4",
    rule: "Sessions have the apt, npm and pip packages of their environment, which are installed once for all environments of the organization with the same list.",
  },
  {
    id: "environment-package-names",
    source: "api 4",
    rule: "A package is a name with an optional version; an option, an address, a path or any other form that a package manager interprets is rejected with 400 and its position. A list that an update omits is kept, and null empties it.",
  },
  {
    id: "environment-setup-script",
    source: "api 4",
    rule: "A setup script runs once as root after the packages are installed, with the environment's networking and variables; sessions start with its changes in /usr, /etc, /opt, /var and the home directory.",
  },
  {
    id: "repository-setup-script",
    source: "api 4",
    rule: "A repository setup script runs in each repository once it is cloned, as the agent's user, with the environment's variables and without credentials; commands wait for it, and later turns do not run it again.",
  },
  {
    id: "repository-setup-snapshot",
    source: "api 4",
    rule: "The result of a repository setup script is shared by the sessions of the organization that ask for the same, until the script, what it depends on, or the repository changes; each session has its own changes over it.",
  },
  {
    id: "repository-setup-fault",
    source: "api 4",
    rule: "A repository setup script that fails is reported by a session.error of type environment_error with the end of its output and without values of variables, the agent is informed, and the session continues; where the environment requires the setup, the repository counts as not cloned, and is cloned and set up anew at the next turn once its setup was changed, or when it is retried.",
  },
  {
    id: "environment-waits",
    source: "api 4",
    rule: "When a session waits for longer than a second before its container starts, for packages or a setup script, its log records the start and the end with the seconds, in streams and lists; a session that finds everything prepared gets no such event.",
  },
  {
    id: "environment-fault",
    source: "api 4",
    rule: "Packages or a script that fail are reported by a session.error of type environment_error with the end of the output and without values of variables; the session continues without them, the agent is informed, and the next sandbox tries again.",
  },
];
