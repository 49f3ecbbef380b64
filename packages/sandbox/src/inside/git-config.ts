import { SandboxError } from "../interface/errors.ts";
import type { GitPerson, GitSettings } from "../interface/spec.ts";
import { CREDENTIAL_CONFIG } from "./credential-helper.ts";

const DEFAULT_IDENTITY: GitPerson = { name: "Berth agent", email: "agent@berth.invalid" };

const NO_SETTINGS: GitSettings = { identity: null, coAuthor: null, httpsHosts: [] };

/**
 * Returns git's system configuration. No default lets a repository run a program of its choice, or sends a
 * credential to another host. Throws `SandboxError` for an invalid name or host.
 */
export function gitConfig({ identity, coAuthor, httpsHosts }: GitSettings = NO_SETTINGS): string {
  return [
    userConfig(identity ?? DEFAULT_IDENTITY),
    ...(coAuthor === null ? [] : [coAuthorConfig(coAuthor)]),
    ...httpsHosts.map(httpsConfig),
    SHARED,
  ].join("");
}

function userConfig({ name, email }: GitPerson): string {
  return `[user]
\tname = ${quoted(name)}
\temail = ${quoted(email)}
`;
}

/** Sets the co-author for the sandbox's program `git`. git adds no trailer that a message already has. */
function coAuthorConfig({ name, email }: GitPerson): string {
  return `[berth]
\tcoAuthor = ${quoted(`${name} <${email}>`)}
[trailer "co-authored-by"]
\tifExists = addIfDifferent
`;
}

/**
 * Returns lines that rewrite a host's ssh URLs to https.
 *
 * @throws SandboxError for text that is not a host.
 */
function httpsConfig(host: string): string {
  if (!/^[a-z0-9_.-]+(:\d+)?$/.test(host)) throw new SandboxError("a host for git's configuration is none");
  const name = host.replace(/:\d+$/, "");
  const forms = [`git@${name}:`, `ssh://git@${name}/`, `ssh://git@${name}:22/`, `git://${name}/`];
  return `[url "https://${host}/"]\n${forms.map((form) => `\tinsteadOf = ${form}\n`).join("")}`;
}

function quoted(value: string): string {
  if (/\p{Cc}/u.test(value)) throw new SandboxError("a name for git's configuration has a control character");
  return `"${value.replace(/["\\]/g, "\\$&")}"`;
}

const SHARED = `[init]
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
[filter "lfs"]
\tclean = /opt/berth/bin/berth-lfs clean -- %f
\tsmudge = /opt/berth/bin/berth-lfs smudge -- %f
\tprocess = /opt/berth/bin/berth-lfs filter-process
\trequired = false
[advice]
\tdetachedHead = false
${CREDENTIAL_CONFIG}`;
