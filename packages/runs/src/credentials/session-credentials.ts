import { randomUUID } from "node:crypto";
import { singleFlight } from "@berth/concurrency";
import {
  type CredentialSource,
  type ProxiedCredential,
  type SandboxService,
  withTokenPrefix,
} from "@berth/egress";
import { isMaskable } from "@berth/egress/maskable-secret";
import { credentialsVersion } from "@berth/sandbox";
import type { Queryable } from "@berth/store/db";
import { type MaskedStream, SecretMask } from "@berth/store/masking";
import { credentialSecret, resourceSecret, type SecretBox } from "@berth/store/secrets";
import type { PlacementFault, SessionRepository } from "../inputs/placement.ts";
import {
  isRepository,
  type RunRepository,
  type RunResource,
  readResource,
} from "../inputs/resource-store.ts";
import { type CredentialSources, readCredentialSources, readMcpToken } from "./credential-store.ts";
import { type RepositoryProviders, repositoryTargets } from "./repository-targets.ts";
import type { RepositoryTokens } from "./repository-tokens.ts";
import {
  insideValue,
  listSecrets,
  placeholderOf,
  proxiedCredential,
  type SessionSecret,
  type Unseal,
} from "./session-secrets.ts";
import { signingService } from "./signing-service.ts";

export interface CredentialDeps {
  db: { read: Queryable };
  secrets: SecretBox;
  providers: RepositoryProviders;
  /** Returns the variables by which git and the provider's CLI log in; see the sandbox's workspace. */
  repositoryVariables(repositories: readonly SessionRepository[]): Record<string, string>;
  /** Makes the tokens of repositories that have a connection. Absent: none is made. */
  tokens?: Pick<RepositoryTokens, "ensure">;
}

/** A variable of a session's commands that holds a placeholder, and the hosts to which its secret is sent. */
export interface PlaceholderVariable {
  name: string;
  hosts: string[];
}

/** The most values that are remembered. A session never has as many secrets at once. */
const MAX_GIVEN = 200;

/** The sources of a session that no longer exists. */
const NO_SOURCES: CredentialSources = {
  plain: {},
  settings: { mode: "proxy", seed: "", variables: [] },
  repositories: [],
};

/**
 * The secrets of one session while its lease is held. Nothing else unseals them. Each method reads them anew:
 * the next command, request or connection uses a rotated secret, and never an archived one.
 */
export class SessionCredentials {
  readonly #deps: CredentialDeps;
  readonly #sessionId: string;
  readonly #unseal: Unseal;
  readonly #mask = new SecretMask();
  /**
   * Removes from a text every secret of this session that was unsealed so far.
   *
   * It leaves other sessions' secrets: a tool's output would reveal which of its words are somebody else's
   * secret, and a secret that is an ordinary word would be missing everywhere. It leaves secrets that can be
   * guessed, unless commands have them: the agent would find them by trying.
   */
  readonly mask = this.#mask.mask;
  /** Values that commands were given for secrets, the newest last. */
  readonly #given = new Set<string>();

  constructor(deps: CredentialDeps, sessionId: string) {
    this.#deps = deps;
    this.#sessionId = sessionId;
    this.#unseal = (location, envelope, delivery) => {
      const secret = deps.secrets.open(location, envelope);
      if (delivery === "inside") this.#mask.add(secret);
      else this.#mask.addUnknown(secret);
      return secret;
    };
  }

  /**
   * Returns the variables of a command that starts now. The session's own variables override those of the
   * environment, those of its vaults override both, and those of its repositories override all.
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
      ...this.#deps.repositoryVariables(
        repositories.map((one) => withSecret(one, inside.get(one.id) ?? null)),
      ),
      ...credentialsVersion(repositories.flatMap(({ secret }) => secret ?? [])),
    };
  }

  /** Creates a mask like `mask` for a text that arrives in pieces. */
  maskStream(): MaskedStream {
    return this.#mask.stream();
  }

  /** Makes the secrets known to `mask`, including those that no command has been given yet. */
  async learn(resources: readonly RunResource[]): Promise<void> {
    const sources = await this.#read();
    if (sources === null) return;
    const repositories = resources.filter(isRepository);
    for (const { value } of this.#list({ ...sources, repositories })) unsealIfPossible(value);
  }

  /** Returns the secrets or placeholders that commands were given, except short ones, which may be words. */
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

  /** Returns the source of the secrets for egress. Concurrent connections of a sandbox share one query. */
  egressSource(): CredentialSource {
    return singleFlight<void, ProxiedCredential[]>(() => this.#proxied(), { joinSameTick: true });
  }

  /** Returns the hosts at which the sandbox is served with what the session's secrets are needed for. */
  services(): SandboxService[] {
    return [signingService(this.#deps, this.#sessionId)];
  }

  /**
   * Returns the variables that hold placeholders, by name, as they were at the first request to the model
   * (`firstRequestAt`, in Unix milliseconds). Later changes of the vaults do not change them, so that the
   * system prompt stays the same.
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

  /**
   * Returns a repository as the sandbox may see it: with its secret, or with the placeholder. @throws when
   * the session no longer exists.
   */
  async repositoryInside(repository: RunRepository): Promise<SessionRepository> {
    const sources = await this.#read();
    if (sources === null) throw new Error("A session is gone.");
    const settings = { ...sources.settings, variables: [] };
    const [secret] = this.#list({ settings, repositories: [repository] });
    return withSecret(repository, secret === undefined ? null : insideValue(secret));
  }

  /**
   * Returns a repository with a token that its connection made, if it has a connection. Returns why it has
   * none.
   */
  async withToken(repository: RunRepository): Promise<RunRepository | { fault: PlacementFault }> {
    const { db, tokens } = this.#deps;
    if (!repository.isTokenDue || tokens === undefined) return repository;
    const fault = await tokens.ensure(repository.id);
    if (fault !== null && repository.secret === null) return { fault };
    const now = await readResource(db.read, repository.id);
    return now !== null && isRepository(now)
      ? { ...repository, secret: now.secret, isTokenDue: false }
      : repository;
  }

  /** Returns a repository with its secret, for a request that the service makes itself. */
  unsealedRepository(repository: RunRepository): SessionRepository {
    const { id, secret } = repository;
    return withSecret(
      repository,
      secret === null ? null : this.#unseal(resourceSecret(id), secret, "proxied"),
    );
  }

  /** Returns the bearer token for an MCP server, or null when the session's vaults have none. */
  async mcpToken(url: string): Promise<string | null> {
    const token = await readMcpToken(this.#deps.db.read, this.#sessionId, url);
    return token === null ? null : this.#unseal(credentialSecret(token.id), token.secret, "proxied");
  }

  async #proxied(): Promise<ProxiedCredential[]> {
    const sources = await this.#read();
    if (sources === null) return [];
    const { settings } = sources;
    const repositories = settings.mode === "proxy" ? sources.repositories : [];
    return this.#list({ settings, repositories }).map(proxiedCredential);
  }

  /**
   * Reads the sources. A token that ends soon is renewed before; if that fails, the one in use stays. A missing
   * token is made when its repository is put in place, which also reports what is wrong.
   */
  async #read(): Promise<CredentialSources | null> {
    const { db, tokens } = this.#deps;
    const sources = await readCredentialSources(db.read, this.#sessionId);
    const due = sources?.repositories.filter(({ secret, isTokenDue }) => secret !== null && isTokenDue) ?? [];
    if (tokens === undefined || due.length === 0) return sources;
    await Promise.allSettled(due.map(({ id }) => tokens.ensure(id)));
    return await readCredentialSources(db.read, this.#sessionId);
  }

  #list(sources: Parameters<typeof listSecrets>[0]): SessionSecret[] {
    return listSecrets(sources, this.#deps.providers, this.#unseal);
  }
}

function withSecret(repository: RunRepository, secret: string | null): SessionRepository {
  const { type, url, mountPath, username } = repository;
  return { type, url, mountPath, username, secret };
}

/** Unseals a secret if that is possible. If not, the command that needs the secret fails. */
function unsealIfPossible(value: () => string): void {
  try {
    value();
  } catch {
    // The command that needs the secret reports the failure.
  }
}

/**
 * Returns the hosts of a secret. A repository and its provider may share a host; hosts of a vault's secret
 * are listed as its owner wrote them.
 */
function hostsOf({ source, targets }: SessionSecret): string[] {
  const hosts = targets.map(({ host }) => host);
  return source === "repository" ? [...new Set(hosts)] : hosts;
}

/**
 * Returns a repository with a placeholder, for a sandbox of the service's own, and the credential that egress
 * puts in for the placeholder.
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
