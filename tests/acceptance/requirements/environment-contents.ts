import type { Requirement } from "./requirement.ts";

export const environmentContents: readonly Requirement[] = [
  {
    id: "environment-packages",
    source: "api 4",
    rule: "Sessions have the apt, npm and pip packages that their environment names, installed once for all environments of the organization that name the same.",
  },
  {
    id: "environment-package-names",
    source: "api 4",
    rule: "A package is a name, with a version where one is wanted; an option, an address, a path or what a manager reads as more than a name is 400 with its place. A list that is left out of an update stays, and null is none.",
  },
  {
    id: "environment-setup-script",
    source: "api 4",
    rule: "A setup script runs once as root after the packages, with the environment's networking and variables; what it leaves in /usr, /etc, /opt, /var and the home directory is what sessions begin with.",
  },
  {
    id: "environment-waits",
    source: "api 4",
    rule: "What a session waits for before its container starts, and that for longer than a second, is told in its log when it begins and with its seconds when it is over, for packages and the setup script alike, in streams and lists; a session that finds all of it is told nothing.",
  },
  {
    id: "environment-fault",
    source: "api 4",
    rule: "Packages or a script that cannot be put in place are told by a session.error of type environment_error with the end of what was written, without values of variables; the session goes on without, the agent is told, and it is tried again when the sandbox opens next.",
  },
];
