import { CREDENTIAL_CONFIG } from "./credential-helper.ts";

/** System configuration of git. No default lets a repository run a program of its choice, or sends a credential to another host. */
export const GIT_CONFIG = `[user]
\tname = Berth agent
\temail = agent@berth.invalid
[init]
\tdefaultBranch = main
[http]
\tfollowRedirects = false
[protocol]
\tallow = never
[protocol "https"]
\tallow = always
[protocol "file"]
\tallow = user
[core]
\tfsmonitor = false
[safe]
\tbareRepository = explicit
[submodule]
\trecurse = false
[fetch]
\trecurseSubmodules = false
[advice]
\tdetachedHead = false
${CREDENTIAL_CONFIG}`;
