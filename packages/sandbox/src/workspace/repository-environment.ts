import { SandboxError } from "../sandbox.ts";
import { credentialVariable } from "./credential-helper.ts";
import type { RepositoryAccess } from "./repository.ts";

const anyUser = "x-access-token";

/** Nobody is there to answer a prompt. */
const withoutPrompts = { GH_PROMPT_DISABLED: "1", GH_NO_UPDATE_NOTIFIER: "1", GIT_TERMINAL_PROMPT: "0" };

/**
 * The variables by which git and the providers' CLIs are logged in, for one command. git gets for each repository its own
 * credential; a CLI knows one token for a provider, which is that of its first repository with one.
 * Throws `SandboxError` when a url or a credential holds a line break, which git's protocol cannot carry.
 */
export function repositoryEnvironment(repositories: readonly RepositoryAccess[]): Record<string, string> {
  const credentials = repositories.flatMap(credentialOf);
  return {
    ...withoutPrompts,
    ...tokenVariables(repositories),
    ...gitHubVariables(repositories),
    ...httpVariables(repositories),
    ...(credentials.length === 0 ? {} : { [credentialVariable]: credentials.join("\n") }),
  };
}

/** The variables that the providers name. github.com comes first, as `gh` sends `GH_TOKEN` to that host and no other. */
function tokenVariables(repositories: readonly RepositoryAccess[]): Record<string, string> {
  const variables: Record<string, string> = {};
  const [gitHub, others] = [repositories.filter(isAtGitHub), repositories.filter((one) => !isAtGitHub(one))];
  for (const { provider, secret } of [...gitHub, ...others]) {
    if (provider === null || secret === null) continue;
    for (const name of provider.token_env) variables[name] ??= secret;
  }
  return variables;
}

/**
 * `gh` reads another variable for a host that is not github.com, and has to be told which host. Where repositories of both
 * are there, the first with a token says at which host `gh` is at home.
 */
function gitHubVariables(repositories: readonly RepositoryAccess[]): Record<string, string> {
  const known = repositories.filter(isForGh);
  const withSecret = known.filter(({ secret }) => secret !== null);
  const home = withSecret[0] ?? known[0];
  const other = withSecret.find((one) => !isAtGitHub(one));
  return {
    ...(other?.secret ? { GH_ENTERPRISE_TOKEN: other.secret } : {}),
    ...(home?.provider && !isAtGitHub(home) ? { GH_HOST: home.provider.host } : {}),
  };
}

function isAtGitHub({ provider }: RepositoryAccess): boolean {
  return provider?.host === "github.com";
}

function isForGh({ provider }: RepositoryAccess): boolean {
  return provider?.token_env.some((name) => /^(GH|GITHUB)_(ENTERPRISE_)?TOKEN$/.test(name)) ?? false;
}

/** git's own configuration inside allows https; http comes with a repository that needs it. */
function httpVariables(repositories: readonly RepositoryAccess[]): Record<string, string> {
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
