import type { OutputOptions } from "../../shared/formats.ts";
import { isForPeople } from "../../shared/output.ts";
import { printLine } from "../../terminal/print.ts";
import { printChanges } from "./print-changes.ts";
import { printDone } from "./print-done.ts";
import { type Removal, removalLine } from "./prune.ts";
import type { Step } from "./step.ts";

export async function printPlanned(
  { document: { kind, name }, known, changes, note }: Step,
  options: OutputOptions,
): Promise<void> {
  const changed = known === undefined ? "would be created" : "would be updated";
  const done = changes.length === 0 && known !== undefined ? "unchanged" : changed;
  const noted = note === undefined ? {} : { note };
  await printDone({ kind, name, id: known?.id ?? null, done, changes, ...noted }, options);
  if (isForPeople(options) && !options.quiet) printChanges(changes);
}

export async function printPlannedRemoval(removal: Removal, options: OutputOptions): Promise<void> {
  const { kind, id, name } = removal;
  if (!isForPeople(options)) await printDone({ kind, name, id, done: "would be removed" }, options);
  else if (!options.quiet) printLine(removalLine(removal));
}
