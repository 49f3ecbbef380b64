import { createHash } from "node:crypto";
import {
  CREDENTIAL_HELPER,
  CREDENTIAL_HELPER_NAME,
  CREDENTIAL_VARIABLE,
  CREDENTIALS_VERSION_VARIABLE,
} from "../../inside/credential-helper.ts";
import { SandboxError } from "../../interface/errors.ts";
import { shellScript } from "../../scripts/read-script.ts";
import type { RepositoryAccess } from "./repository.ts";

/** User name that common hosts accept with any token. */
const DEFAULT_USERNAME = "x-access-token";

/**
 * Variable from which the program `gh` takes the token of the repository of a call. Two lines each:
 * host/owner/name, token.
 */
const GH_TOKENS_VARIABLE = "BERTH_GH_TOKENS";

/** Programs by name that must be first on the PATH of a sandbox; they read the variables below. */
export const WORKSPACE_PROGRAMS: Readonly<Record<string, string>> = {
  [CREDENTIAL_HELPER_NAME]: CREDENTIAL_HELPER,
  gh: shellScript("workspace/gh.sh", "workspace/gh-port.sh", "workspace/gh-run.sh"),
  git: shellScript("workspace/git-command.sh"),
  "git-sign": shellScript("workspace/git-sign.sh"),
  "berth-lfs": shellScript("workspace/berth-lfs.sh"),
};

/** The properties of a repository that determine its variables; `secret` is only compared with null. */
type Holder = Pick<RepositoryAccess, "url" | "provider"> & { secret: unknown };

/** Settings that disable prompts, since nobody could answer them. */
const NO_PROMPTS = { GH_PROMPT_DISABLED: "1", GH_NO_UPDATE_NOTIFIER: "1", GIT_TERMINAL_PROMPT: "0" };

/**
 * Returns the variables that log in git and the providers' CLIs, for one command. git and `gh` get a
 * credential for each repository. For any other repository of a provider's host, they get that of the first
 * repository with the same owner, or else of the first at the host. A variable of a provider's CLI contains a
 * single token: that of the provider's first repository with a token.
 *
 * @throws SandboxError when a URL or a credential contains a line break, which git's protocol cannot carry.
 */
export function repositoryEnvironment(repositories: readonly RepositoryAccess[]): Record<string, string> {
  const credentials = [...repositories.flatMap(credentialOf), ...sharedCredentials(repositories)];
  const ghTokens = repositories.filter(isForGh).flatMap(ghTokenOf);
  const tokens = [...tokenHolders(repositories)].flatMap(([name, { secret }]) =>
    secret === null ? [] : [[name, secret] as const],
  );
  return {
    ...plainVariables(repositories),
    ...Object.fromEntries(tokens),
    ...(credentials.length === 0 ? {} : { [CREDENTIAL_VARIABLE]: credentials.join("\n") }),
    ...(ghTokens.length === 0 ? {} : { [GH_TOKENS_VARIABLE]: ghTokens.join("\n") }),
  };
}

/**
 * Returns the variable that makes git's credential helper retry a refused credential after a secret was
 * rotated.
 *
 * @param sealed The secrets of the session's repositories, in any form that changes with them and does not
 * reveal them.
 */
export function credentialsVersion(sealed: readonly Uint8Array[]): Record<string, string> {
  if (sealed.length === 0) return {};
  const digest = createHash("sha256");
  for (const one of sealed) digest.update(one);
  return { [CREDENTIALS_VERSION_VARIABLE]: digest.digest("hex").slice(0, 16) };
}

/**
 * Returns the names of the variables that `repositoryEnvironment` and `credentialsVersion` set. Each has the
 * repository whose secret is its value, or null when the value is anything else.
 */
export function repositoryVariableNames<Repository extends Holder>(
  repositories: readonly Repository[],
): Map<string, Repository | null> {
  const names = new Map<string, Repository | null>(
    Object.keys(plainVariables(repositories)).map((name) => [name, null]),
  );
  for (const [name, holder] of tokenHolders(repositories)) names.set(name, holder);
  if (repositories.some(({ secret }) => secret !== null))
    names.set(CREDENTIAL_VARIABLE, null).set(CREDENTIALS_VERSION_VARIABLE, null);
  if (repositories.some((one) => one.secret !== null && isForGh(one))) names.set(GH_TOKENS_VARIABLE, null);
  return names;
}

/** Returns the variables that contain no secret. */
function plainVariables(repositories: readonly Holder[]): Record<string, string> {
  return { ...NO_PROMPTS, ...gitHubHost(repositories), ...httpVariables(repositories) };
}

/**
 * Returns the repository whose token each variable of a provider's CLI contains: the first one with a token.
 * Repositories at github.com come first, since `gh` sends `GH_TOKEN` only there; for any other host `gh`
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

/**
 * Returns the variable with the default host of `gh`, that of the first repository with a token; none for
 * github.com.
 */
function gitHubHost(repositories: readonly Holder[]): Record<string, string> {
  const known = repositories.filter(isForGh);
  const home = known.find(({ secret }) => secret !== null) ?? known[0];
  return home?.provider && !isAtGitHub(home) ? { GH_HOST: home.provider.host } : {};
}

function isAtGitHub({ provider }: Holder): boolean {
  return provider?.host === "github.com";
}

/** Returns whether `gh` supports the provider: GitHub or GitHub Enterprise. */
export function isForGh({ provider }: Pick<Holder, "provider">): boolean {
  return provider?.token_env.some((name) => /^(GH|GITHUB)_(ENTERPRISE_)?TOKEN$/.test(name)) ?? false;
}

/** Allows http when a repository needs it; git's configuration in a sandbox allows only https. */
function httpVariables(repositories: readonly Holder[]): Record<string, string> {
  if (!repositories.some(({ url }) => url.startsWith("http:"))) return {};
  return { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "protocol.http.allow", GIT_CONFIG_VALUE_0: "always" };
}

/** Returns the `authorization` header that git sends; null for a repository without a secret. */
export function basicAuthorization({
  username = DEFAULT_USERNAME,
  secret,
}: Pick<RepositoryAccess, "username" | "secret">): string | null {
  return secret === null ? null : `Basic ${Buffer.from(`${username}:${secret}`).toString("base64")}`;
}

/**
 * Returns three lines: URL, user name, secret; none without a secret.
 *
 * @throws SandboxError when one contains a line break.
 */
function credentialOf({ url, username = DEFAULT_USERNAME, secret }: RepositoryAccess): string[] {
  if (secret === null) return [];
  const lines = [decodedUrl(url), username, secret];
  if (/[\r\n\0]/.test(lines.join(""))) throw new SandboxError("a credential holds a line break");
  return lines;
}

/** Returns two lines: host/owner/name, token; none without a secret. */
function ghTokenOf({ url, secret }: RepositoryAccess): string[] {
  return secret === null ? [] : [decodedUrl(url).replace(/^https?:\/\//, ""), secret];
}

/**
 * Returns the credentials for everything below an owner and below a host: three lines each, with a URL that
 * ends in a slash. A provider's token may serve several of its repositories; the password of any other server
 * is only for its own repository.
 */
function sharedCredentials(repositories: readonly RepositoryAccess[]): string[] {
  const atProviders = repositories.filter(({ provider }) => provider !== null);
  const below = (prefixOf: (url: URL) => string) => {
    const found = new Map<string, string[]>();
    for (const one of atProviders) {
      const prefix = prefixOf(new URL(decodedUrl(one.url)));
      const [, ...login] = credentialOf(one);
      if (login.length > 0 && !found.has(prefix)) found.set(prefix, [prefix, ...login]);
    }
    return [...found.values()].flat();
  };
  return [
    ...below(({ origin, pathname }) => `${origin}/${pathname.split("/")[1]}/`),
    ...below(({ origin }) => `${origin}/`),
  ];
}

/**
 * Returns the URL in the form that git passes to its helper: decoded, without a final `.git` or slash, which
 * name the same repository.
 */
function decodedUrl(url: string): string {
  const bytes = (codes: string): string => Buffer.from(codes.replaceAll("%", ""), "hex").toString();
  const decoded = url.replace(/(?:%[0-9a-f]{2})+/gi, bytes);
  return decoded.replace(/\/$/, "").replace(/\.git$/, "");
}
