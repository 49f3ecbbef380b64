import { SandboxError } from "../interface/errors.ts";
import type { GitPerson, GitSettings } from "../interface/spec.ts";
import { CREDENTIAL_CONFIG } from "./credential-helper.ts";

/** Host at which sandboxes get signatures: `GET /` with the SHA-512 in hexadecimal digits. */
export const SIGNING_HOST = "signing.berth.invalid";

/** Author and committer of commits where nobody is named. */
export const DEFAULT_IDENTITY: GitPerson = { name: "Berth agent", email: "agent@berth.invalid" };

const NO_SETTINGS: GitSettings = {
  identity: DEFAULT_IDENTITY,
  author: null,
  coAuthors: [],
  signingKey: null,
  httpsHosts: [],
};

/**
 * Returns git's system configuration. No default lets a repository run a program of its choice, or sends a
 * credential to another host. Throws `SandboxError` for an invalid name or host.
 */
export function gitConfig(settings: GitSettings = NO_SETTINGS): string {
  const { identity, author, coAuthors, signingKey, httpsHosts } = settings;
  return [
    personConfig("user", identity),
    ...(author === null ? [] : [personConfig("author", author)]),
    ...(coAuthors.length === 0 ? [] : [coAuthorConfig(coAuthors)]),
    ...(signingKey === null ? [] : [signingConfig(signingKey)]),
    ...httpsHosts.map(httpsConfig),
    SHARED,
  ].join("");
}

function personConfig(section: "user" | "author", { name, email }: GitPerson): string {
  return `[${section}]
\tname = ${quoted(name)}
\temail = ${quoted(email)}
`;
}

/** Sets the co-authors for the sandbox's program `git`. git adds no trailer that a message already has. */
function coAuthorConfig(coAuthors: readonly GitPerson[]): string {
  const lines = coAuthors.map(({ name, email }) => `\tcoAuthor = ${quoted(`${name} <${email}>`)}\n`);
  return `[berth]
${lines.join("")}[trailer "co-authored-by"]
\tifExists = addIfDifferent
`;
}

/** Signs commits, and tags where a command asks for it. `tag.gpgSign` would make every tag an annotated one. */
function signingConfig(publicKey: string): string {
  return `[user]
\tsigningKey = ${quoted(`key::${publicKey}`)}
[gpg]
\tformat = ssh
[gpg "ssh"]
\tprogram = /opt/berth/bin/git-sign
[commit]
\tgpgSign = true
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
