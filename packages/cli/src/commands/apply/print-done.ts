import type { OutputOptions } from "../../shared/formats.ts";
import { formatOf, isForPeople, printItem } from "../../shared/output.ts";
import { plainLine } from "../../terminal/plain-text.ts";
import { printLine } from "../../terminal/print.ts";
import type { FieldChange } from "./field-changes.ts";
import type { Kind } from "./kinds.ts";

/** The result of applying a document to an object, or of its dry run. */
export interface Done {
  kind: Kind;
  name: string;
  /** Id of the object; null if it would be created. */
  id: string | null;
  done: string;
  changes?: readonly FieldChange[];
  note?: string;
}

/** Prints a line for people, a line of JSON, a document of YAML, or the id if there is one. */
export async function printDone(done: Done, options: OutputOptions): Promise<void> {
  if (options.quiet) return;
  if (isForPeople(options)) printLine(doneLine(done));
  else if (done.id !== null || formatOf(options) !== "id") await printItem(done, options);
}

function doneLine({ kind, name, id, done, note }: Done): string {
  const said = note === undefined ? done : `${done} (${note})`;
  return plainLine(`${kind}/${name} ${said}${id === null ? "" : `  ${id}`}`);
}
