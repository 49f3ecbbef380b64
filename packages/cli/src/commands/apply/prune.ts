import { type Berth, BerthError, ConflictError, type Operation } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import { plainLine } from "../../terminal/plain-text.ts";
import { printJson, printLine, printMessage } from "../../terminal/print.ts";
import { idParams, KINDS, type Kind, nameField, OPERATIONS, type Thing } from "./kinds.ts";
import type { ThingsOf } from "./listing.ts";
import type { Step } from "./plan.ts";
import { setOf } from "./set-mark.ts";

/** An object of the set that no document describes. */
export interface Removal {
  kind: Kind;
  id: string;
  name: string;
  /** What goes with it. */
  with: string;
}

/** The objects that an earlier apply put in the set and that the documents do not describe, users before what they use. */
export async function removalsOf(
  client: Berth,
  set: string,
  steps: readonly Step[],
  thingsOf: ThingsOf,
): Promise<Removal[]> {
  const kept = new Set(steps.map(({ known }) => known?.id));
  const removals: Removal[] = [];
  for (const kind of KINDS) {
    for (const thing of await thingsOf(kind)) {
      if (setOf(thing) !== set || kept.has(thing.id)) continue;
      const name = String(thing[nameField(kind)]);
      removals.push({ kind, id: thing.id, name, with: await partsOf(client, kind, thing) });
    }
  }
  return removals;
}

async function partsOf(client: Berth, kind: Kind, { id }: Thing): Promise<string> {
  if (kind !== "vault") return "";
  const { list } = operations.vaultCredentials;
  let count = 0;
  for await (const _ of client.pages({ operation: list, params: { vault_id: id } })) count++;
  return count === 0 ? "" : ` with ${count} ${count === 1 ? "credential" : "credentials"}`;
}

/** One line for each object, for the question and the dry run. */
export function removalLine(removal: Removal): string {
  const { kind, id, name, with: parts } = removal;
  return plainLine(`${kind}/${name} would be ${isKept(kind) ? "archived" : "removed"}${parts}  ${id}`);
}

/**
 * Deletes the objects. One that sessions have used is archived instead, if that takes nothing from them. Goes on after a
 * refusal. Returns whether all are gone.
 */
export async function remove(
  client: Berth,
  removals: readonly Removal[],
  { json }: { json?: boolean },
): Promise<boolean> {
  let complete = true;
  for (const { kind, id, name } of removals) {
    try {
      const done = await removeOne(client, kind, id);
      if (json) printJson({ kind, name, id, done });
      else printLine(plainLine(`${kind}/${name} ${done}  ${id}`));
    } catch (error) {
      if (!(error instanceof BerthError)) throw error;
      complete = false;
      printMessage(plainLine(`${kind}/${name} was not removed: ${error.message}  ${id}`));
    }
  }
  return complete;
}

async function removeOne(client: Berth, kind: Kind, id: string): Promise<"removed" | "archived"> {
  const call = (operation: Operation) => client.call({ operation, params: idParams(operation, id) });
  const { delete: remove, archive } = OPERATIONS[kind];
  if (!isKept(kind)) {
    try {
      await call(remove);
      return "removed";
    } catch (error) {
      if (!(error instanceof ConflictError) || !CAN_ARCHIVE_USED.includes(kind)) throw error;
    }
  }
  await call(archive);
  return "archived";
}

/** Memories are in no file: the store is archived, and they stay readable. */
function isKept(kind: Kind): boolean {
  return kind === "memory_store";
}

/** To archive a vault destroys the secrets that its sessions use. */
const CAN_ARCHIVE_USED: readonly Kind[] = ["agent", "environment"];
