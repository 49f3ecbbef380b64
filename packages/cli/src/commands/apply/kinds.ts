import type { Operation } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";

/** The kinds of objects that have a name and are created by a JSON body, in the order in which they are removed. */
export const KINDS = ["agent", "environment", "memory_store", "vault"] as const;
export type Kind = (typeof KINDS)[number];

/** An object as the service returns it. */
export type Thing = Record<string, unknown> & { id: string };

interface KindOperations {
  create: Operation;
  list: Operation;
  update: Operation;
  delete: Operation;
  archive: Operation;
}

export const OPERATIONS: Readonly<Record<Kind, KindOperations>> = {
  agent: operations.agents,
  environment: operations.environments,
  memory_store: operations.memoryStores,
  vault: operations.vaults,
};

export function nameField(kind: Kind): "name" | "display_name" {
  return kind === "vault" ? "display_name" : "name";
}

/** The parameters of an operation on one object. */
export function idParams({ path }: Operation, id: string): Record<string, string> {
  return { [/\{(\w+)\}/.exec(path)?.[1] ?? ""]: id };
}
