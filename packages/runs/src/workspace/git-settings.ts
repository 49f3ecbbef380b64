import { isGitPerson } from "@berth/contract";
import { DEFAULT_IDENTITY, type GitPerson, type GitSettings } from "@berth/sandbox";
import type { AccountIdentities } from "../credentials/account-identities.ts";
import type { SessionCredentials } from "../credentials/session-credentials.ts";
import { isRepository, type RunResource } from "../inputs/resource-store.ts";
import type { RunSession } from "../inputs/session-inputs-store.ts";

export interface GitDeps {
  credentials: Pick<SessionCredentials, "unsealedRepository" | "withToken">;
  accounts: Pick<AccountIdentities, "knows" | "of">;
}

/** Well-known hosts that a session without limits may reach. */
const PUBLIC_HOSTS = ["github.com", "gitlab.com", "bitbucket.org", "codeberg.org"];

/** Returns a session's git settings. Asks a host for the author only if none is configured. Never rejects. */
export async function gitSettings(
  deps: GitDeps,
  session: Pick<RunSession, "gitIdentity" | "ownerEmail" | "signingKey" | "networking">,
  resources: readonly RunResource[],
): Promise<GitSettings> {
  const { gitIdentity, ownerEmail, signingKey, networking } = session;
  const { name, email, co_authored_by: coAuthor, session_owner: ownerAs } = gitIdentity;
  const given = name === null || email === null ? await accountOf(deps, resources) : { name, email };
  const identity = given ?? DEFAULT_IDENTITY;
  const owner = ownerAs === undefined ? null : personOf(ownerEmail);
  const author = ownerAs === "author" ? owner : null;
  const coAuthors = [author === null ? owner : identity, coAuthor].filter((one) => one !== null);
  return { identity, author, coAuthors, signingKey, httpsHosts: httpsHosts(networking, resources) };
}

/** Returns the person with an address; null for an address that git does not take. */
function personOf(email: string | null): GitPerson | null {
  const person = { name: email?.split("@")[0], email };
  return isGitPerson(person) ? person : null;
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
  const first = resources
    .filter(isRepository)
    .find((one) => (one.secret !== null || one.isTokenDue) && accounts.knows(one));
  if (first === undefined) return null;
  try {
    const ready = await credentials.withToken(first);
    return "fault" in ready ? null : await accounts.of(credentials.unsealedRepository(ready));
  } catch {
    // Problems with the credential are reported when the repository is put in place.
    return null;
  }
}
