import { createHash } from "node:crypto";
import { isGitPerson } from "@berth/contract";
import type { GuardedFetch } from "@berth/egress";
import { type GitPerson, isForGh } from "@berth/sandbox";
import { apiOf } from "../egress/provider-hosts.ts";
import type { SessionRepository } from "../inputs/placement.ts";
import { providerOf, type RepositoryProviders } from "./repository-targets.ts";

/** The host of the token is asked again after this time; after a failure sooner. */
const KEPT_MS = 3_600_000;
const FAILURE_KEPT_MS = 60_000;
const MAX_KEPT = 1_000;
/** A sandbox waits for the answer. */
const TIMEOUT_MS = 3_000;
const MAX_BYTES = 256 * 1024;

interface Kept {
  person: Promise<GitPerson | null>;
  until: number;
}

/**
 * The accounts of repositories' tokens, as authors of commits: at GitHub and GitHub Enterprise, whose API tells the account. The token
 * goes to the API of its own provider only, which the operator names. What a host says is kept in memory for an hour.
 */
export class AccountIdentities {
  readonly #fetch: GuardedFetch;
  readonly #providers: RepositoryProviders;
  readonly #now: () => number;
  readonly #kept = new Map<string, Kept>();

  /** @param now milliseconds of a monotonic clock. */
  constructor(
    fetch: GuardedFetch,
    providers: RepositoryProviders,
    now: () => number = () => performance.now(),
  ) {
    this.#fetch = fetch;
    this.#providers = providers;
    this.#now = now;
  }

  /** Whether `of` may know the account of a repository's token. */
  readonly knows = (repository: Pick<SessionRepository, "type" | "url">): boolean => {
    const provider = providerOf(repository, this.#providers);
    return provider !== null && isForGh({ provider });
  };

  /** Null where the host does not tell it, in time. Never rejects. */
  readonly of = async (repository: SessionRepository): Promise<GitPerson | null> => {
    const { secret } = repository;
    const provider = providerOf(repository, this.#providers);
    if (secret === null || provider === null || !this.knows(repository)) return null;
    const api = apiUrl(provider);
    const key = digest(api, secret);
    const kept = this.#kept.get(key);
    if (kept !== undefined && this.#now() < kept.until) return await kept.person;
    const asked = this.#ask(api, provider.host, secret);
    this.#keep(key, { person: asked, until: this.#now() + FAILURE_KEPT_MS });
    const person = await asked;
    if (person !== null) this.#keep(key, { person: asked, until: this.#now() + KEPT_MS });
    return person;
  };

  #keep(key: string, kept: Kept): void {
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
  }

  async #ask(api: string, host: string, secret: string): Promise<GitPerson | null> {
    try {
      const response = await this.#fetch(`${api}/user`, {
        headers: {
          authorization: `Bearer ${secret}`,
          accept: "application/vnd.github+json",
          "user-agent": "berth",
        },
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const text = await readShort(response);
      return response.status === 200 && text !== null ? personOf(JSON.parse(text), host) : null;
    } catch {
      return null;
    }
  }
}

/** GitHub Enterprise has its API below a path of its host. */
function apiUrl(provider: RepositoryProviders[number]): string {
  return apiOf(provider)?.url ?? `https://${provider.host}/api/v3`;
}

/** Also cancels the body of a response that is too long. */
async function readShort({ body }: Response): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** The address by which GitHub attributes commits without showing anybody's own. */
function personOf(account: unknown, host: string): GitPerson | null {
  if (typeof account !== "object" || account === null) return null;
  const { id, login, name } = account as Record<string, unknown>;
  if (!Number.isSafeInteger(id) || typeof login !== "string" || !/^[\w.[\]-]{1,100}$/.test(login))
    return null;
  const email = `${id}+${login}@users.noreply.${host.replace(/:\d+$/, "")}`;
  const named = { name, email };
  if (isGitPerson(named)) return named;
  return isGitPerson({ name: login, email }) ? { name: login, email } : null;
}

function digest(...parts: string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}
