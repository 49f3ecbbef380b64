import { createHmac } from "node:crypto";
import { uuidMillisecond } from "@berth/contract";
import { type CredentialTarget, type ProxiedCredential, withTokenPrefix } from "@berth/egress";
import { repositoryVariableNames } from "@berth/sandbox";
import { credentialSecret, resourceSecret, type SecretLocation } from "@berth/store/secrets";
import type { RunRepository } from "../inputs/resource-store.ts";
import type { CredentialSettings, VaultVariable } from "./credential-store.ts";
import { providerOf, type RepositoryProviders, repositoryTargets } from "./repository-targets.ts";

/** A secret of a session. Variables of commands, placeholders, egress and `gh` all follow this list. */
export interface SessionSecret {
  source: "repository" | "vault";
  /** uuid of the repository's resource or of the vault's credential. */
  resource: string;
  /** The variables that hold the secret or its placeholder. Empty when another secret has the name. */
  names: readonly string[];
  /** The hosts and paths to which the secret may be sent. */
  targets: readonly CredentialTarget[];
  /** `inside`: commands get the secret. `proxied`: they get the placeholder, and egress replaces it. */
  delivery: "inside" | "proxied";
  placeholder: string;
  /** Unseals the secret. @throws for a credential that is archived. */
  value(): string;
}

/** Unseals a secret. `delivery` says whether the sandbox has it; see `SecretBox.open`. */
export type Unseal = (
  location: SecretLocation,
  envelope: Buffer,
  delivery: SessionSecret["delivery"],
) => string;

export interface SecretSources {
  settings: CredentialSettings;
  repositories: readonly RunRepository[];
  /**
   * The time for which variables of the vaults are listed, in Unix milliseconds: those that existed then and
   * were not archived. Default: those that are not archived now.
   */
  at?: number;
}

/** Lists the secrets of the vaults, then of the repositories. Of equal names, the first vault's is used. */
export function listSecrets(
  { settings, repositories, at = Number.POSITIVE_INFINITY }: SecretSources,
  providers: RepositoryProviders,
  unseal: Unseal,
): SessionSecret[] {
  const { mode, seed, variables } = settings;
  const accesses = repositories.map((repository) => ({
    ...repository,
    provider: providerOf(repository, providers),
  }));
  const names = repositoryVariableNames(accesses);
  const ofRepositories = accesses.flatMap((repository): SessionSecret[] => {
    const { id, secret } = repository;
    if (secret === null) return [];
    const delivery = mode === "proxy" ? "proxied" : "inside";
    return [
      {
        source: "repository",
        resource: id,
        names: [...names].filter(([, holder]) => holder === repository).map(([name]) => name),
        targets: repositoryTargets(repository, providers),
        delivery,
        placeholder: placeholderOf(seed, id),
        value: () => unseal(resourceSecret(id), secret, delivery),
      },
    ];
  });
  const ofVaults = variablesAt(variables, at).map(
    ({ id, name, hosts, secret }): SessionSecret => ({
      source: "vault",
      resource: id,
      names: names.has(name) ? [] : [name],
      targets: hosts.map((host) => ({ host })),
      delivery: "proxied",
      placeholder: placeholderOf(seed, id),
      value: () => unseal(credentialSecret(id), given(secret), "proxied"),
    }),
  );
  return [...ofVaults, ...ofRepositories];
}

function variablesAt(variables: readonly VaultVariable[], at: number): VaultVariable[] {
  const found = new Map<string, VaultVariable>();
  for (const variable of variables) {
    const { id, name, archivedAt } = variable;
    const existed = uuidMillisecond(id) <= at && !(archivedAt !== null && archivedAt.getTime() <= at);
    if (existed && !found.has(name)) found.set(name, variable);
  }
  return [...found.values()];
}

function given(secret: Buffer | null): Buffer {
  if (secret === null) throw new Error("An archived credential has no secret.");
  return secret;
}

/** Returns the value for commands: the secret, or its placeholder with the prefix of the secret's kind. */
export function insideValue(secret: SessionSecret): string {
  return secret.delivery === "inside" ? secret.value() : withTokenPrefix(secret.value(), secret.placeholder);
}

/**
 * Returns a secret in the form that egress needs. A vault's secret may be anywhere in a request, a
 * repository's only in headers.
 */
export function proxiedCredential(secret: SessionSecret): ProxiedCredential {
  const { placeholder, targets, source } = secret;
  return { placeholder, value: secret.value(), targets, anywhere: source === "vault" };
}

/**
 * Returns the placeholder of a secret in a session. It stays the same for the lifetime of the session, also
 * after a rotation of the secret, and cannot be guessed outside of the session.
 *
 * @param id uuid of the credential or of the repository's resource.
 */
export function placeholderOf(seed: string, id: string): string {
  return `berth${createHmac("sha256", seed).update(id).digest("hex").slice(0, 31)}`;
}
