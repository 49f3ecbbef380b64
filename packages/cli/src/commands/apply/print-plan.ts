import { plainLine } from "../../terminal/plain-text.ts";
import { printJson, printLine } from "../../terminal/print.ts";
import type { Step } from "./plan.ts";
import { printChanges } from "./print-changes.ts";
import { type Removal, removalLine } from "./prune.ts";

interface PrintOptions {
  json?: boolean;
}

export function printPlanned(
  { document: { kind, name }, known, changes }: Step,
  { json }: PrintOptions,
): void {
  const changed = known === undefined ? "would be created" : "would be updated";
  const done = changes.length === 0 && known !== undefined ? "unchanged" : changed;
  if (json) {
    printJson({ kind, name, id: known?.id ?? null, done, changes });
    return;
  }
  printLine(plainLine(`${kind}/${name} ${done}${known === undefined ? "" : `  ${known.id}`}`));
  printChanges(changes);
}

export function printPlannedRemoval(removal: Removal, { json }: PrintOptions): void {
  const { kind, id, name } = removal;
  if (json) printJson({ kind, name, id, done: "would be removed" });
  else printLine(removalLine(removal));
}
