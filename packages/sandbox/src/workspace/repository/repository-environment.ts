import { CREDENTIAL_VARIABLE } from "../../inside/credential-helper.ts";
import { SandboxError } from "../../interface/errors.ts";
import type { RepositoryAccess } from "./repository.ts";

const anyUser = "x-access-token";

/** A repository of which it is known whether it has a secret. */
type Holder = Pick<RepositoryAccess, "url" | "provider"> & { secret: unknown };

/** Nobody is there to answer a prompt. */
const withoutPrompts = { GH_PROMPT_DISABLED: "1", GH_NO_UPDATE_NOTIFIER: "1", GIT_TERMINAL_PROMPT: "0" };

/**
 * The variables by which git and the providers' CLIs are logged in, for one command. git gets for each repository its own
 * credential; a CLI knows one token for a provider, which is that of its first repository with one.
 * Throws `SandboxError` when a url or a credential holds a line break, which git's protocol cannot carry.
 */
export function repositoryEnvironment(repositories: readonly RepositoryAccess[]): Record<string, string> {
  const credentials = repositories.flatMap(credentialOf);
  const tokens = [...tokenHolders(repositories)].flatMap(([name, { secret }]) =>
    secret === null ? [] : [[name, secret] as const],
  );
  return {
    ...plainVariables(repositories),
    ...Object.fromEntries(tokens),
    ...(credentials.length === 0 ? {} : { [CREDENTIAL_VARIABLE]: credentials.join("\n") }),
  };
}

/**
 * The names of the variables that `repositoryEnvironment` sets, each with the repository whose secret alone it holds; null where
 * it holds something else.
 */
export function repositoryVariableNames<Repository extends Holder>(
  repositories: readonly Repository[],
): Map<string, Repository | null> {
  const names = new Map<string, Repository | null>(
    Object.keys(plainVariables(repositories)).map((name) => [name, null]),
  );
  for (const [name, holder] of tokenHolders(repositories)) names.set(name, holder);
  if (repositories.some(({ secret }) => secret !== null)) names.set(CREDENTIAL_VARIABLE, null);
  return names;
}

/** Variables that hold no secret. */
function plainVariables(repositories: readonly Holder[]): Record<string, string> {
  return { ...withoutPrompts, ...gitHubHost(repositories), ...httpVariables(repositories) };
}

/**
 * Which repository's token each variable of a provider's CLI holds: of the variables that the providers name, that of the first
 * repository with a token. github.com comes first, as `gh` sends `GH_TOKEN` to that host and no other. For any other host `gh`
 * reads `GH_ENTERPRISE_TOKEN`.
 */
function tokenHolders<Repository extends Holder>(
  repositories: readonly Repository[],
): Map<string, Repository> {
  const holders = new Map<string, Repository>();
  const withSecret = repositories.filter(({ secret }) => secret !== null);
  const elsewhere = withSecret.filter((one) => !isAtGitHub(one));
  for (const one of [...withSecret.filter(isAtGitHub), ...elsewhere]) {
    for (const name of one.provider?.token_env ?? []) if (!holders.has(name)) holders.set(name, one);
  }
  const enterprise = elsewhere.find(isForGh);
  if (enterprise !== undefined) holders.set("GH_ENTERPRISE_TOKEN", enterprise);
  return holders;
}

/** The host at which `gh` is at home, where that is not github.com: that of the first repository with a token. */
function gitHubHost(repositories: readonly Holder[]): Record<string, string> {
  const known = repositories.filter(isForGh);
  const home = known.find(({ secret }) => secret !== null) ?? known[0];
  return home?.provider && !isAtGitHub(home) ? { GH_HOST: home.provider.host } : {};
}

function isAtGitHub({ provider }: Holder): boolean {
  return provider?.host === "github.com";
}

function isForGh({ provider }: Holder): boolean {
  return provider?.token_env.some((name) => /^(GH|GITHUB)_(ENTERPRISE_)?TOKEN$/.test(name)) ?? false;
}

/** git's own configuration inside allows https; http comes with a repository that needs it. */
function httpVariables(repositories: readonly Holder[]): Record<string, string> {
  if (!repositories.some(({ url }) => url.startsWith("http:"))) return {};
  return { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "protocol.http.allow", GIT_CONFIG_VALUE_0: "always" };
}

/** What git says to a host that asks for a login, as the value of `authorization`; null for a repository that is read without. */
export function basicLogin({
  username = anyUser,
  secret,
}: Pick<RepositoryAccess, "username" | "secret">): string | null {
  return secret === null ? null : `Basic ${Buffer.from(`${username}:${secret}`).toString("base64")}`;
}

/** Three lines: url, user name, secret. */
function credentialOf({ url, username = anyUser, secret }: RepositoryAccess): string[] {
  if (secret === null) return [];
  const lines = [asHelperReads(url), username, secret];
  if (/[\r\n\0]/.test(lines.join(""))) throw new SandboxError("a credential holds a line break");
  return lines;
}

/** git hands a url to its helper decoded; a `.git` or a slash at its end makes no other repository. */
function asHelperReads(url: string): string {
  const bytes = (codes: string): string => Buffer.from(codes.replaceAll("%", ""), "hex").toString();
  const decoded = url.replace(/(?:%[0-9a-f]{2})+/gi, bytes);
  return decoded.replace(/\/$/, "").replace(/\.git$/, "");
}
