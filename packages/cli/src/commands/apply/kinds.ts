import type { Operation } from "@berth/sdk";
import { operations, pathParams } from "@berth/sdk/operations";

/** Kinds of objects, in the order of their removal: users before what they use. */
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

/**
 * Kinds of parts, each with the kind of its parent. A document names the parent in the field with that name.
 */
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

/** Returns whether objects of a kind are parts of other objects. */
export function isPart(kind: Kind): kind is PartKind {
  return Object.hasOwn(PARENTS, kind);
}

/** Returns the field with the name of an object. */
export function nameField(kind: WholeKind): "name" | "display_name" {
  return kind === "vault" ? "display_name" : "name";
}

/** Returns the path parameters of an operation on an object: the id of its parent, if any, and its own. */
export function idParams(operation: Operation, ...ids: readonly string[]): Record<string, string> {
  return Object.fromEntries(pathParams(operation).map((name, index) => [name, ids[index] ?? ""]));
}
