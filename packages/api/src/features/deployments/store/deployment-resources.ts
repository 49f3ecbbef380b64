import type { DeploymentResource, ResourceInput } from "@berth/contract";
import { deploymentSecrets, type SecretBox } from "@berth/store/secrets";

/** The token or password of a resource, by its place among them. */
type Secrets = Record<number, { authorization_token: string } | { password: string }>;

/** Returns resources as they are stored and shown: without tokens and passwords. */
export function withoutSecrets(inputs: readonly ResourceInput[]): DeploymentResource[] {
  return inputs.map(withoutSecret);
}

function withoutSecret(input: ResourceInput): DeploymentResource {
  switch (input.type) {
    case "hosted_repository":
      return { type: input.type, ...repositoryOf(input) };
    case "git_repository":
      return { type: input.type, ...repositoryOf(input), username: input.username ?? null };
    case "file":
      return { type: input.type, file_id: input.file_id, mount_path: input.mount_path ?? null };
    case "memory_store":
      return { ...input, instructions: input.instructions ?? null };
    case "vault":
      return input;
  }
}

function repositoryOf(input: Extract<ResourceInput, { url: string }>) {
  return {
    url: input.url,
    mount_path: input.mount_path ?? null,
    checkout: input.checkout ?? null,
    connection_id: input.connection_id ?? null,
    access: input.access ?? null,
    environment: input.environment ?? null,
  };
}

/**
 * Returns the envelope of the tokens and passwords of resources; null for none.
 * @param id uuid of the deployment.
 */
export function sealSecrets(secrets: SecretBox, id: string, inputs: readonly ResourceInput[]): Buffer | null {
  const found: Secrets = {};
  for (const [index, input] of inputs.entries()) {
    if (input.type === "hosted_repository" && input.authorization_token != null)
      found[index] = { authorization_token: input.authorization_token };
    if (input.type === "git_repository" && input.password != null)
      found[index] = { password: input.password };
  }
  if (Object.keys(found).length === 0) return null;
  return secrets.seal(deploymentSecrets(id), JSON.stringify(found));
}

/** Returns resources as a request that creates a session has them, with their tokens and passwords. */
export function withSecrets(
  secrets: SecretBox,
  { id, resources, resource_secrets: envelope }: StoredResources,
): ResourceInput[] {
  if (envelope === null) return [...resources];
  const opened = JSON.parse(secrets.open(deploymentSecrets(id), envelope)) as Secrets;
  return resources.map((resource, index) => ({ ...resource, ...opened[index] }) as ResourceInput);
}

export interface StoredResources {
  /** uuid of the deployment. */
  id: string;
  resources: readonly DeploymentResource[];
  /** Sealed; see `SecretBox`. */
  resource_secrets: Buffer | null;
}
