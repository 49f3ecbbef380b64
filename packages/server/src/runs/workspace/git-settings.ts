import type { GitPerson, GitSettings } from "@berth/sandbox";
import type { AccountIdentities } from "../credentials/account-identities.ts";
import type { SessionCredentials } from "../credentials/session-credentials.ts";
import { isRepository, type RunResource } from "../inputs/resource-store.ts";
import type { RunSession } from "../inputs/session-inputs-store.ts";

export interface GitParts {
  credentials: Pick<SessionCredentials, "unsealedRepository">;
  accounts: Pick<AccountIdentities, "knows" | "of">;
}

/** Who makes the commits of a session, as far as anybody has said so. Asks a host only where nobody has. Never rejects. */
export async function gitSettings(
  parts: GitParts,
  { gitIdentity }: Pick<RunSession, "gitIdentity">,
  resources: readonly RunResource[],
): Promise<GitSettings> {
  const { name, email, co_authored_by: coAuthor } = gitIdentity;
  const identity = name === null || email === null ? await accountOf(parts, resources) : { name, email };
  return { identity, coAuthor };
}

/** The account of the first token whose host may tell it. */
async function accountOf(
  { credentials, accounts }: GitParts,
  resources: readonly RunResource[],
): Promise<GitPerson | null> {
  const first = resources.filter(isRepository).find((one) => one.secret !== null && accounts.knows(one));
  if (first === undefined) return null;
  try {
    return await accounts.of(credentials.unsealedRepository(first));
  } catch {
    // What is wrong with the credential is reported when the repository is put in place.
    return null;
  }
}
