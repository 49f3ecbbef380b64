import type { Berth } from "@berth/sdk";
import { confirm } from "../../shared/confirm.ts";
import { type ConnectionOptions, connect } from "../../shared/connection.ts";
import { EXIT_CODES } from "../../shared/exit-codes.ts";
import { UsageError } from "../../shared/failure.ts";
import { plainLine } from "../../terminal/plain-text.ts";
import { printJson, printLine, printMessage } from "../../terminal/print.ts";
import { readDocuments } from "./documents.ts";
import { printFaults } from "./faults.ts";
import { fieldChanges } from "./field-changes.ts";
import { listing } from "./listing.ts";
import { plan, type Step, send } from "./plan.ts";
import { printPlanned, printPlannedRemoval } from "./print-plan.ts";
import { type Removal, removalLine, removalsOf, remove } from "./prune.ts";
import { requireSetName } from "./set-mark.ts";

interface ApplyOptions extends ConnectionOptions {
  file: string[];
  dryRun?: boolean;
  /** The name under which the objects belong together. */
  set?: string;
  /** Remove the objects of the set that the files do not describe. */
  prune?: boolean;
  yes?: boolean;
  json?: boolean;
}

/**
 * Creates or updates the object of each document, in the order of the files, then removes what is to be pruned. First the
 * service checks all documents; if it refuses one, all that is wrong is printed and nothing is applied.
 */
export async function apply(options: ApplyOptions): Promise<number | undefined> {
  const set = setToPrune(options);
  const read = await readDocuments(options.file);
  const client = await connect(options);
  const thingsOf = listing(client);
  // What can be read is checked even if another document cannot: the user sees everything at once.
  const planned = await plan(client, read.documents, thingsOf, options.set).catch((error) => {
    printFaults(read.faults);
    throw error;
  });
  const faults = [...read.faults, ...planned.faults];
  if (faults.length > 0) {
    printFaults(faults);
    printMessage("Nothing was applied.");
    return EXIT_CODES.usage;
  }
  if (set !== undefined && read.documents.length === 0)
    throw new UsageError(`The files describe no object: all of the set '${set}' would be removed.`);
  const removals = set === undefined ? [] : await removalsOf(client, set, planned.steps, thingsOf);
  if (options.dryRun) {
    for (const step of planned.steps) printPlanned(step, options);
    for (const removal of removals) printPlannedRemoval(removal, options);
    return undefined;
  }
  await confirmRemovals(removals, options);
  for (const step of planned.steps) await carryOut(client, step, options);
  return (await remove(client, removals, options)) ? undefined : EXIT_CODES.failed;
}

/** The set whose objects are to be removed unless the files describe them. */
function setToPrune({ set, prune }: ApplyOptions): string | undefined {
  if (set !== undefined) requireSetName(set);
  if (prune && set === undefined) throw new UsageError("Name by --set which objects --prune may remove.");
  return prune ? set : undefined;
}

/** Asks on a terminal. Elsewhere nobody can answer, and a wrong list of files would remove what is in use. */
async function confirmRemovals(removals: readonly Removal[], options: ApplyOptions): Promise<void> {
  if (removals.length === 0 || options.yes) return;
  for (const removal of removals) printMessage(removalLine(removal));
  if (!process.stdin.isTTY) throw new UsageError("Nothing was applied. Add --yes to remove these objects.");
  await confirm(`Apply, and remove ${removals.length === 1 ? "this object" : "these objects"}?`, options);
}

async function carryOut(client: Berth, step: Step, { json }: ApplyOptions): Promise<void> {
  const { kind, name, location } = step.document;
  const object = await send(client, step).catch((error) => {
    printMessage(plainLine(`${location}:`));
    throw error;
  });
  const changed = step.known === undefined || fieldChanges(step.known, object).length > 0;
  const done = step.known === undefined ? "created" : changed ? "updated" : "unchanged";
  if (json) printJson({ kind, name, id: object.id, done });
  else printLine(plainLine(`${kind}/${name} ${done}  ${object.id}`));
}
