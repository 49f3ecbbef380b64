import { paletteFor } from "../../terminal/palette.ts";
import { plainText } from "../../terminal/plain-text.ts";
import { printMessage } from "../../terminal/print.ts";

/** A fault of a file or a document. */
export interface Fault {
  /** Index of the file among those given, and line in it. Faults are shown in this order. */
  file: number;
  line: number;
  /** File, line, number of the document and object, as far as they are known. */
  location: string;
  /** One sentence. */
  message: string;
}

const MOST_SHOWN = 100;

/** Prints the faults to standard error, in the order of the files and lines. */
export function printFaults(faults: readonly Fault[]): void {
  const { red, dim } = paletteFor(process.stderr);
  const ordered = faults.toSorted((one, other) => one.file - other.file || one.line - other.line);
  for (const { location, message } of ordered.slice(0, MOST_SHOWN))
    printMessage(`${red("error:")} ${plainText(`${location}: ${message}`)}`);
  const rest = faults.length - MOST_SHOWN;
  if (rest > 0) printMessage(dim(`… and ${rest} more`));
}
