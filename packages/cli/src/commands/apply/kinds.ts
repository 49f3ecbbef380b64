import type { Operation } from "@berth/sdk";
import { operations, pathParams } from "@berth/sdk/operations";

/** What a document can describe, in the order in which objects are removed: users before what they use. */
export const KINDS = [
  "agent",
  "skill",
  "environment",
  "memory_store",
  "vault_credential",
  "vault",
  "memory",
] as const;
export type Kind = (typeof KINDS)[number];

/** The parts of other objects. A document names the other one in the field that has its kind as name. */
export const PARENTS = { memory: "memory_store", vault_credential: "vault" } as const;
export type PartKind = keyof typeof PARENTS;
export type WholeKind = Exclude<Kind, PartKind>;

/** An object as the service returns it. */
export type Thing = Record<string, unknown> & { id: string };

interface KindOperations {
  create: Operation;
  list: Operation;
  update: Operation;
  delete: Operation;
  archive?: Operation;
}

export const OPERATIONS: Readonly<Record<Kind, KindOperations>> = {
  agent: operations.agents,
  skill: operations.skills,
  environment: operations.environments,
  memory_store: operations.memoryStores,
  vault_credential: operations.vaultCredentials,
  vault: operations.vaults,
  memory: operations.memories,
};

export function isPart(kind: Kind): kind is PartKind {
  return Object.hasOwn(PARENTS, kind);
}

export function nameField(kind: WholeKind): "name" | "display_name" {
  return kind === "vault" ? "display_name" : "name";
}

/** The parameters of an operation on an object: the id of what it is a part of, and its own. */
export function idParams(operation: Operation, ...ids: readonly string[]): Record<string, string> {
  return Object.fromEntries(pathParams(operation).map((name, index) => [name, ids[index] ?? ""]));
}
