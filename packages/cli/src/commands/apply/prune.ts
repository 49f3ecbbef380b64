import { type Berth, BerthError, ConflictError, type Operation } from "@berth/sdk";
import type { OutputOptions } from "../../shared/formats.ts";
import { plainLine } from "../../terminal/plain-text.ts";
import { printMessage } from "../../terminal/print.ts";
import { idParams, KINDS, type Kind, nameField, OPERATIONS, type Thing } from "./kinds.ts";
import type { Listing } from "./listing.ts";
import { printDone } from "./print-done.ts";
import { setOf } from "./set-mark.ts";
import type { Step } from "./step.ts";

/** An object of the set that no document describes. */
export interface Removal {
  kind: Kind;
  id: string;
  name: string;
  /** Id of its parent. */
  parentId?: string;
  /** Text about the objects that are removed with it. */
  with: string;
}

/**
 * Returns the objects of the set, from an earlier apply, that the documents do not describe, users before
 * what they use. Memories are kept: they have no mark, and agents write them as well.
 */
export async function removalsOf(set: string, steps: readonly Step[], listing: Listing): Promise<Removal[]> {
  const kept = new Set(steps.flatMap(({ known, parentId }) => [known?.id, parentId]));
  const isGone = (thing: Thing) => setOf(thing) === set && !kept.has(thing.id);
  const removals: Removal[] = [];
  for (const kind of KINDS) {
    if (kind === "memory") continue;
    if (kind === "vault_credential") {
      // Credentials of a vault that is removed are deleted with it.
      for (const vault of (await listing.all("vault")).filter((one) => !isGone(one)))
        for (const credential of (await listing.partsOf(vault.id, kind)).filter(isGone))
          removals.push({
            kind,
            id: credential.id,
            name: nameIn(vault, credential),
            parentId: vault.id,
            with: "",
          });
      continue;
    }
    for (const thing of (await listing.all(kind)).filter(isGone)) {
      const name = String(thing[nameField(kind)]);
      removals.push({
        kind,
        id: thing.id,
        name,
        with: kind === "vault" ? await partsOf(thing, listing) : "",
      });
    }
  }
  return removals;
}

function nameIn(vault: Thing, { auth }: Thing): string {
  const { mcp_server_url, secret_name } = auth as Record<string, unknown>;
  return `${vault.display_name}/${mcp_server_url ?? secret_name}`;
}

async function partsOf({ id }: Thing, listing: Listing): Promise<string> {
  const { length } = await listing.partsOf(id, "vault_credential");
  return length === 0 ? "" : ` with ${length} ${length === 1 ? "credential" : "credentials"}`;
}

/** Returns one line about a removal, for the question and the dry run. */
export function removalLine(removal: Removal): string {
  const { kind, id, name, with: parts } = removal;
  return plainLine(`${kind}/${name} would be ${isKept(kind) ? "archived" : "removed"}${parts}  ${id}`);
}

/**
 * Deletes the objects. Archives one that sessions have used, if archiving takes nothing from them. Continues
 * after a rejection. Returns whether all objects are gone.
 */
export async function remove(
  client: Berth,
  removals: readonly Removal[],
  options: OutputOptions,
): Promise<boolean> {
  let complete = true;
  for (const removal of removals) {
    const { kind, id, name } = removal;
    try {
      await printDone({ kind, name, id, done: await removeOne(client, removal) }, options);
    } catch (error) {
      if (!(error instanceof BerthError)) throw error;
      complete = false;
      printMessage(plainLine(`${kind}/${name} was not removed: ${error.message}  ${id}`));
    }
  }
  return complete;
}

async function removeOne(client: Berth, { kind, id, parentId }: Removal): Promise<"removed" | "archived"> {
  const ids = parentId === undefined ? [id] : [parentId, id];
  const call = (operation: Operation) => client.call({ operation, params: idParams(operation, ...ids) });
  const { delete: remove, archive } = OPERATIONS[kind];
  if (!isKept(kind)) {
    try {
      await call(remove);
      return "removed";
    } catch (error) {
      if (!(error instanceof ConflictError) || !CAN_ARCHIVE_USED.includes(kind)) throw error;
    }
  }
  if (archive === undefined) throw new Error(`A ${kind} cannot be archived.`);
  await call(archive);
  return "archived";
}

/**
 * Returns whether objects of a kind are archived, not deleted. Memory stores hold memories of agents that are
 * in no file, and these stay readable.
 */
function isKept(kind: Kind): boolean {
  return kind === "memory_store";
}

/**
 * Kinds that are archived when sessions have used them. Archiving a vault would destroy the secrets that its
 * sessions use. The name of an archived skill cannot be reused.
 */
const CAN_ARCHIVE_USED: readonly Kind[] = ["agent", "environment"];
