import type { GitPerson, GitSettings } from "@berth/sandbox";
import type { AccountIdentities } from "../credentials/account-identities.ts";
import type { SessionCredentials } from "../credentials/session-credentials.ts";
import { isRepository, type RunResource } from "../inputs/resource-store.ts";
import type { RunSession } from "../inputs/session-inputs-store.ts";

export interface GitDeps {
  credentials: Pick<SessionCredentials, "unsealedRepository">;
  accounts: Pick<AccountIdentities, "knows" | "of">;
}

/** Well-known hosts that a session without limits may reach. */
const PUBLIC_HOSTS = ["github.com", "gitlab.com", "bitbucket.org", "codeberg.org"];

/** Returns a session's git settings. Asks a host for the author only if none is configured. Never rejects. */
export async function gitSettings(
  deps: GitDeps,
  { gitIdentity, networking }: Pick<RunSession, "gitIdentity" | "networking">,
  resources: readonly RunResource[],
): Promise<GitSettings> {
  const { name, email, co_authored_by: coAuthor } = gitIdentity;
  const identity = name === null || email === null ? await accountOf(deps, resources) : { name, email };
  return { identity, coAuthor, httpsHosts: httpsHosts(networking, resources) };
}

/** Returns the HTTPS hosts, repositories' first. Of several ports of a name, only the first counts. */
function httpsHosts(networking: RunSession["networking"], resources: readonly RunResource[]): string[] {
  const urls = resources.filter(isRepository).map(({ url }) => new URL(url));
  const named = networking.type === "unrestricted" ? PUBLIC_HOSTS : networking.allowed_hosts;
  const found = new Map<string, string>();
  for (const host of [
    ...urls.filter(({ protocol }) => protocol === "https:").map(({ host }) => host),
    ...named.filter((host) => !host.startsWith("*")).map((host) => host.replace(/:443$/, "")),
  ]) {
    const name = host.replace(/:\d+$/, "");
    if (/^[a-z0-9_.-]+$/.test(name) && !found.has(name)) found.set(name, host);
  }
  return [...found.values()];
}

/** Returns the account of the first token whose host may name it, or null when there is none. */
async function accountOf(
  { credentials, accounts }: GitDeps,
  resources: readonly RunResource[],
): Promise<GitPerson | null> {
  const first = resources.filter(isRepository).find((one) => one.secret !== null && accounts.knows(one));
  if (first === undefined) return null;
  try {
    return await accounts.of(credentials.unsealedRepository(first));
  } catch {
    // Problems with the credential are reported when the repository is put in place.
    return null;
  }
}
