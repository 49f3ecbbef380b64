import { confirm } from "../../shared/confirm.ts";
import { type ConnectionOptions, connect } from "../../shared/connection.ts";
import { EXIT_CODES } from "../../shared/exit-codes.ts";
import { UsageError } from "../../shared/failure.ts";
import type { OutputOptions } from "../../shared/formats.ts";
import { isForPeople } from "../../shared/output.ts";
import { plainLine } from "../../terminal/plain-text.ts";
import { printLine, printMessage } from "../../terminal/print.ts";
import { readDocuments } from "./documents.ts";
import { printFaults } from "./faults.ts";
import { listing } from "./listing.ts";
import { plan } from "./plan.ts";
import { printChanges } from "./print-changes.ts";
import { printDone } from "./print-done.ts";
import { type Removal, removalLine, removalsOf, remove } from "./prune.ts";
import { requireSetName } from "./set-mark.ts";
import type { Step } from "./step.ts";

interface ApplyOptions extends ConnectionOptions, OutputOptions {
  file: string[];
  dryRun?: boolean;
  /** Name of the set to which the objects belong. */
  set?: string;
  /** Whether to remove the objects of the set that the files do not describe. */
  prune?: boolean;
  /** Whether to write the secrets of known credentials as well. */
  secrets?: boolean;
  yes?: boolean;
}

/**
 * Creates or updates the object of each document, in the order of the files but parts after the objects that
 * they belong to. Then removes the objects to be pruned. First the service checks all documents; if it
 * rejects one, all faults are printed and nothing is applied.
 */
export async function apply(options: ApplyOptions): Promise<number | undefined> {
  const set = setToPrune(options);
  const read = await readDocuments(options.file);
  const client = await connect(options);
  const listed = listing(client);
  const planning = { client, listing: listed, documents: read.documents, set: options.set };
  // Readable documents are checked even if others cannot be read, so that the user sees all faults at once.
  const planned = await plan({ ...planning, secrets: options.secrets === true }).catch((error) => {
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
  const removals = set === undefined ? [] : await removalsOf(set, planned.steps, listed);
  if (options.dryRun) {
    for (const step of planned.steps) await printPlanned(step, options);
    for (const removal of removals) await printPlannedRemoval(removal, options);
    return undefined;
  }
  await confirmRemovals(removals, options);
  await carryOut(planned.steps, options);
  return (await remove(client, removals, options)) ? undefined : EXIT_CODES.failed;
}

/** Returns the set whose objects are removed unless the files describe them. */
function setToPrune({ set, prune }: ApplyOptions): string | undefined {
  if (set !== undefined) requireSetName(set);
  if (prune && set === undefined)
    throw new UsageError("--prune needs --set, the name of the set whose objects it may remove.");
  return prune ? set : undefined;
}

/** Asks on a terminal. Elsewhere requires `--yes`: a wrong list of files would remove objects in use. */
async function confirmRemovals(removals: readonly Removal[], options: ApplyOptions): Promise<void> {
  if (removals.length === 0 || options.yes) return;
  for (const removal of removals) printMessage(removalLine(removal));
  if (!process.stdin.isTTY) throw new UsageError("Nothing was applied. Add --yes to remove these objects.");
  await confirm(`Apply, and remove ${removals.length === 1 ? "this object" : "these objects"}?`, options);
}

async function carryOut(steps: readonly Step[], options: ApplyOptions): Promise<void> {
  const ids = new Map<string, string>();
  for (const { document, note, carryOut } of steps) {
    const { kind, name, key, location } = document;
    const { id, done } = await carryOut((described) => ids.get(described) ?? "").catch((error) => {
      printMessage(plainLine(`${location}:`));
      throw error;
    });
    ids.set(key, id);
    await printDone({ kind, name, id, done, ...(note === undefined ? {} : { note }) }, options);
  }
}

async function printPlanned(
  { document: { kind, name }, known, changes, note }: Step,
  options: OutputOptions,
): Promise<void> {
  const changed = known === undefined ? "would be created" : "would be updated";
  const done = changes.length === 0 && known !== undefined ? "unchanged" : changed;
  const noted = note === undefined ? {} : { note };
  await printDone({ kind, name, id: known?.id ?? null, done, changes, ...noted }, options);
  if (isForPeople(options) && !options.quiet) printChanges(changes);
}

async function printPlannedRemoval(removal: Removal, options: OutputOptions): Promise<void> {
  const { kind, id, name } = removal;
  if (!isForPeople(options)) await printDone({ kind, name, id, done: "would be removed" }, options);
  else if (!options.quiet) printLine(removalLine(removal));
}
