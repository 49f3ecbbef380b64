import { SandboxError } from "../sandbox.ts";
import { credentialVariable } from "./credential-helper.ts";
import type { RepositoryAccess } from "./repository.ts";

const anyUser = "x-access-token";

/** Nobody is there to answer a prompt. */
const withoutPrompts = { GH_PROMPT_DISABLED: "1", GH_NO_UPDATE_NOTIFIER: "1", GIT_TERMINAL_PROMPT: "0" };

/**
 * The variables by which git and the providers' CLIs are logged in, for one command. git gets for each repository its own
 * credential; a CLI knows one token for a provider, which is that of its first repository with one.
 * Throws `SandboxError` when a credential holds a line break, which git's protocol cannot carry.
 */
export function repositoryEnvironment(repositories: readonly RepositoryAccess[]): Record<string, string> {
  const variables: Record<string, string> = { ...withoutPrompts };
  for (const repository of repositories) {
    for (const [name, value] of cliVariables(repository)) variables[name] ??= value;
  }
  const credentials = repositories.flatMap(credentialOf);
  return credentials.length === 0
    ? variables
    : { ...variables, [credentialVariable]: credentials.join("\n") };
}

/** `gh` reads other variables for a host that is not github.com, and has to be told which. */
function cliVariables({ provider, secret }: RepositoryAccess): [string, string][] {
  if (provider === null) return [];
  const tokens = secret === null ? [] : provider.token_env.map((name): [string, string] => [name, secret]);
  const isOtherGitHub = provider.token_env.includes("GH_TOKEN") && provider.host !== "github.com";
  if (!isOtherGitHub) return tokens;
  const enterprise: [string, string][] = secret === null ? [] : [["GH_ENTERPRISE_TOKEN", secret]];
  return [...tokens, ...enterprise, ["GH_HOST", provider.host]];
}

/** Three lines: url, user name, secret. */
function credentialOf({ url, username = anyUser, secret }: RepositoryAccess): string[] {
  if (secret === null) return [];
  if (/[\r\n\0]/.test(username + secret)) throw new SandboxError("a credential holds a line break");
  return [url, username, secret];
}
