import { createHash } from "node:crypto";
import { isGitPerson } from "@berth/contract";
import type { GuardedFetch } from "@berth/egress";
import { type GitPerson, isForGh } from "@berth/sandbox";
import { apiOf } from "../egress/provider-hosts.ts";
import type { SessionRepository } from "../inputs/placement.ts";
import { providerOf, type RepositoryProviders } from "./repository-targets.ts";

/** Milliseconds for which an identity is cached; less after a failure. */
const KEPT_MS = 3_600_000;
const FAILURE_KEPT_MS = 60_000;
const MAX_KEPT = 1_000;
/** Short, because a sandbox waits for the response. */
const TIMEOUT_MS = 3_000;
const MAX_BYTES = 256 * 1024;

interface Kept {
  person: Promise<GitPerson | null>;
  until: number;
}

/**
 * Looks up the accounts of repositories' tokens, which become authors of commits. Works with GitHub and
 * GitHub Enterprise, whose API names the account. A token is sent only to the API of its own provider, which
 * the operator configures. Identities are cached in memory for an hour.
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

  /** Returns whether `of` may find the account of a repository's token. */
  readonly knows = (repository: Pick<SessionRepository, "type" | "url">): boolean => {
    const provider = providerOf(repository, this.#providers);
    return provider !== null && isForGh({ provider });
  };

  /** Returns the account, or null when the host does not name it in time. Never rejects. */
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

/** Returns the URL of the API. GitHub Enterprise has its API below a path of its host. */
function apiUrl(provider: RepositoryProviders[number]): string {
  return apiOf(provider)?.url ?? `https://${provider.host}/api/v3`;
}

/** Reads a body. Returns null, and cancels the body, when it is longer than `MAX_BYTES`. */
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

/** Returns the person with GitHub's no-reply address, so that no real address is published. */
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
