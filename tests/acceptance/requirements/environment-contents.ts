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
    id: "runtimes-chosen",
    source: "api 4",
    rule: "The versions of runtimes that an environment asks for are chosen when they are written, the newest of the line that the installation can have; what it cannot have is rejected with 400 and the versions that it can, and GET /runtimes lists them.",
  },
  {
    id: "runtimes-in-sessions",
    source: "api 4",
    rule: "The runtimes of an environment, several at once, come first on the PATH of commands, setup scripts and scripts for repositories, and cannot be changed there; sessions of other environments do not have them.",
  },
  {
    id: "runtimes-shared",
    source: "api 4",
    rule: "A version of a runtime is fetched once for the whole installation, verified by its digest, and needs no network from then on.",
  },
  {
    id: "runtimes-missing",
    source: "api 4",
    rule: "A runtime that cannot be installed is reported by a session.error of type environment_error with the reason, its programs print the reason, the agent is informed, and the session continues.",
  },
  {
    id: "runtimes-from-repositories",
    source: "api 4",
    rule: "With the runtimes `auto`, a session chooses its versions once, from files at the roots of its repositories, in a documented order, before the script for repositories and the first command; the session and its log have each version with the line that asks for it, what is missing with what is available, and what is ignored with the reason. A later container, also after a crash, has the same.",
  },
  {
    id: "devcontainers",
    source: "api 4",
    rule: "A session that takes its environment from a repository's devcontainer.json has the runtimes of its features, its variables, and the results of its commands before the first command of the agent, and names in the session and in its log what is followed and what is not, of variables only the names; a command for the host never runs, and a file that is missing or invalid does not stop the session.",
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
    id: "package-caches",
    source: "api 4",
    rule: "What a repository setup script left in the package caches of the home directory is there in every session with its result, each with its own changes over it, in later turns too; several repositories share a cache. The script for a newer commit of the branch begins with the caches of the last result, unless that was made from something that is no longer in the repository; they never reach another branch, script or organization, and cannot make a script fail.",
  },
  {
    id: "repository-setup-fault",
    source: "api 4",
    rule: "A repository setup script that fails is reported by a session.error of type environment_error with the end of its output and without values of variables, the agent is informed, and the session continues; where the environment requires the setup, the repository counts as not cloned, and is cloned and set up anew at the next turn once its setup was changed, or when it is retried.",
  },
  {
    id: "environment-waits",
    source: "api 4",
    rule: "When a session waits for longer than a second before its container starts, for its operating system, packages or a setup script, its log records the start and the end with the seconds, in streams and lists; a session that finds everything prepared gets no such event.",
  },
  {
    id: "environment-fault",
    source: "api 4",
    rule: "Packages or a script that fail are reported by a session.error of type environment_error with the end of the output and without values of variables; the session continues without them, the agent is informed, and the next sandbox tries again. Of several apt packages, those that can be installed are, and the others are named.",
  },
  {
    id: "environment-system",
    source: "api 4",
    rule: "While the operating system of sandboxes is built, sessions wait and their log says so; no session begins on another system, also if the service is stopped meanwhile.",
  },
];
