import { randomUUID } from "node:crypto";
import { singleFlight } from "@berth/concurrency";
import { type CredentialSource, type ProxiedCredential, withTokenPrefix } from "@berth/egress";
import { isMaskable } from "@berth/egress/maskable-secret";
import { credentialsVersion } from "@berth/sandbox";
import type { Queryable } from "@berth/store/db";
import { type MaskedStream, SecretMask } from "@berth/store/masking";
import { credentialSecret, resourceSecret, type SecretBox } from "@berth/store/secrets";
import type { SessionRepository } from "../inputs/placement.ts";
import { isRepository, type RunRepository, type RunResource } from "../inputs/resource-store.ts";
import { type CredentialSources, readCredentialSources, readMcpToken } from "./credential-store.ts";
import { type RepositoryProviders, repositoryTargets } from "./repository-targets.ts";
import {
  insideValue,
  listSecrets,
  placeholderOf,
  proxiedCredential,
  type SessionSecret,
  type Unseal,
} from "./session-secrets.ts";

export interface CredentialParts {
  db: { read: Queryable };
  secrets: SecretBox;
  providers: RepositoryProviders;
  /** Variables by which git and the provider's CLI log in; see the sandbox's workspace. */
  repositoryVariables(repositories: readonly SessionRepository[]): Record<string, string>;
}

/** A variable of a session's commands that holds a placeholder, and the hosts to which its secret is sent. */
export interface PlaceholderVariable {
  name: string;
  hosts: string[];
}

/** A session's present secrets are fewer. */
const MAX_GIVEN = 200;

/** For a session that does not exist any more. */
const NO_SOURCES: CredentialSources = {
  plain: {},
  settings: { mode: "proxy", seed: "", variables: [] },
  repositories: [],
};

/**
 * The secrets of one session while its lease is held. Nothing else unseals them. Each method reads them anew, so that
 * a rotated secret is in force from the next command, request or connection on, and an archived one is not given any
 * more.
 */
export class SessionCredentials {
  readonly #parts: CredentialParts;
  readonly #sessionId: string;
  readonly #unseal: Unseal;
  readonly #mask = new SecretMask();
  /**
   * Removes every secret of this session that was unsealed so far from a text, and no other session's: a tool's output would
   * tell which of its words are somebody else's secret, and a secret that is an ordinary word would be missing everywhere. Nor one
   * that can be guessed, unless commands have it: the agent would find it by trying.
   */
  readonly mask = this.#mask.mask;
  /** Values that commands were given for secrets, the newest last. */
  readonly #given = new Set<string>();

  constructor(parts: CredentialParts, sessionId: string) {
    this.#parts = parts;
    this.#sessionId = sessionId;
    this.#unseal = (location, envelope, delivery) => {
      const secret = parts.secrets.open(location, envelope);
      if (delivery === "inside") this.#mask.add(secret);
      else this.#mask.addUnknown(secret);
      return secret;
    };
  }

  /**
   * The variables of a command that starts now: those of the environment, over them the session's own, over them
   * those of its vaults, over them those of its repositories.
   */
  async commandVariables(): Promise<Record<string, string>> {
    const { plain, settings, repositories } = (await this.#read()) ?? NO_SOURCES;
    const secrets = this.#list({ settings, repositories });
    const inside = new Map(secrets.map((secret) => [secret.resource, insideValue(secret)]));
    for (const value of inside.values()) this.#remember(value);
    const named = secrets.flatMap(({ names, resource }) => names.map((name) => [name, inside.get(resource)]));
    return {
      ...plain,
      ...Object.fromEntries(named),
      ...this.#parts.repositoryVariables(
        repositories.map((one) => withSecret(one, inside.get(one.id) ?? null)),
      ),
      ...credentialsVersion(repositories.flatMap(({ secret }) => secret ?? [])),
    };
  }

  /** The same as `mask` for a text that arrives in pieces. */
  maskStream(): MaskedStream {
    return this.#mask.stream();
  }

  /** Makes the secrets known to `mask`, also those that no command has been given yet. */
  async learn(resources: readonly RunResource[]): Promise<void> {
    const sources = await this.#read();
    if (sources === null) return;
    const repositories = resources.filter(isRepository);
    for (const { value } of this.#list({ ...sources, repositories })) unsealIfPossible(value);
  }

  /** Secrets, or placeholders for them, that commands were given so far. A short one is too likely to be an ordinary word. */
  givenSecrets(): string[] {
    return [...this.#given];
  }

  #remember(value: string): void {
    if (!isMaskable(value)) return;
    this.#given.delete(value);
    this.#given.add(value);
    const [oldest] = this.#given;
    if (this.#given.size > MAX_GIVEN && oldest !== undefined) this.#given.delete(oldest);
  }

  /** What egress puts into requests. However many connections a sandbox opens, the database is asked once at a time. */
  egressSource(): CredentialSource {
    return singleFlight<void, ProxiedCredential[]>(() => this.#proxied(), { joinSameTick: true });
  }

  /**
   * The variables that hold placeholders, by name, as they were when the model was first asked (`firstRequestAt`, in
   * Unix milliseconds): a later change of the vaults leaves them as they are, so that the system prompt stays the
   * same.
   */
  async placeholderVariables(
    resources: readonly RunResource[],
    firstRequestAt: number | null,
  ): Promise<PlaceholderVariable[]> {
    const sources = await this.#read();
    if (sources === null) return [];
    const repositories = resources.filter(isRepository);
    const at = firstRequestAt ?? Number.POSITIVE_INFINITY;
    return this.#list({ ...sources, repositories, at })
      .filter(({ delivery }) => delivery === "proxied")
      .flatMap((secret) => secret.names.map((name) => ({ name, hosts: hostsOf(secret) })))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** A repository as the sandbox may know it: with its secret, or with the placeholder. */
  async repositoryInside(repository: RunRepository): Promise<SessionRepository> {
    const sources = await this.#read();
    if (sources === null) throw new Error("A session is gone.");
    const settings = { ...sources.settings, variables: [] };
    const [secret] = this.#list({ settings, repositories: [repository] });
    return withSecret(repository, secret === undefined ? null : insideValue(secret));
  }

  /** A repository with its secret, for a request that the service makes itself. */
  unsealedRepository(repository: RunRepository): SessionRepository {
    const { id, secret } = repository;
    return withSecret(
      repository,
      secret === null ? null : this.#unseal(resourceSecret(id), secret, "proxied"),
    );
  }

  /** The bearer token for an MCP server; null when the session's vaults have none. */
  async mcpToken(url: string): Promise<string | null> {
    const token = await readMcpToken(this.#parts.db.read, this.#sessionId, url);
    return token === null ? null : this.#unseal(credentialSecret(token.id), token.secret, "proxied");
  }

  async #proxied(): Promise<ProxiedCredential[]> {
    const sources = await this.#read();
    if (sources === null) return [];
    const { settings } = sources;
    const repositories = settings.mode === "proxy" ? sources.repositories : [];
    return this.#list({ settings, repositories }).map(proxiedCredential);
  }

  #read(): Promise<CredentialSources | null> {
    return readCredentialSources(this.#parts.db.read, this.#sessionId);
  }

  #list(sources: Parameters<typeof listSecrets>[0]): SessionSecret[] {
    return listSecrets(sources, this.#parts.providers, this.#unseal);
  }
}

function withSecret(repository: RunRepository, secret: string | null): SessionRepository {
  const { type, url, mountPath, username } = repository;
  return { type, url, mountPath, username, secret };
}

/** The command that needs a secret which cannot be unsealed fails. */
function unsealIfPossible(value: () => string): void {
  try {
    value();
  } catch {
    // Reported by that command.
  }
}

/** A repository and its provider may share a host; those of a vault are listed as its owner wrote them. */
function hostsOf({ source, targets }: SessionSecret): string[] {
  const hosts = targets.map(({ host }) => host);
  return source === "repository" ? [...new Set(hosts)] : hosts;
}

/**
 * A repository for a sandbox of the service's own, which gets a placeholder, and the credential that egress puts in
 * for it.
 */
export function proxiedRepository(repository: SessionRepository): {
  inside: SessionRepository;
  credentials: CredentialSource;
} {
  const { url, secret } = repository;
  if (secret === null) return { inside: repository, credentials: async () => [] };
  const placeholder = placeholderOf(randomUUID(), url);
  const targets = repositoryTargets({ type: "git_repository", url }, []);
  const credentials = [{ placeholder, value: secret, targets, anywhere: false }];
  return {
    inside: { ...repository, secret: withTokenPrefix(secret, placeholder) },
    credentials: async () => credentials,
  };
}
