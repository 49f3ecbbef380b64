import { isUtf8 } from "node:buffer";
import type { ListedFile } from "../sandbox-io/nul-records.ts";
import type { OutputListing } from "./list-outputs.ts";
import type { Collected } from "./output-store.ts";

export interface OutputLimits {
  files: number;
  /** The most bytes of one file. */
  fileBytes: number;
  /** The most bytes of all files that one collection reads. */
  totalBytes: number;
}

export interface OutputPlan {
  /** Outputs to read now. */
  taken: ListedFile[];
  /** Outputs that are left out until they change. */
  rejected: ListedFile[];
  /** Whether outputs are left for the next collection. */
  later: boolean;
  /** Why outputs are left out, a clause each. Reports of an earlier collection are not repeated. */
  faults: string[];
}

const MAX_PATH_BYTES = 1_024;

/** Decides which outputs are read: those that changed since they were collected, within the limits. */
export function planOutputs(
  { outputs, more, unreadable }: OutputListing,
  known: ReadonlyMap<string, Collected>,
  limits: OutputLimits,
  mask: (text: string) => string,
): OutputPlan {
  const plan: OutputPlan = { taken: [], rejected: [], later: false, faults: [] };
  const seen = new Set<string>();
  let total = 0;
  for (const output of outputs) {
    const path = output.path.toString("latin1");
    // A listing has each path once, unless it was tampered with.
    if (seen.has(path)) continue;
    seen.add(path);
    if (known.get(path)?.stamp === output.stamp) continue;
    const fault = faultOf(output, limits);
    if (holdsSecret(output, mask)) {
      // The path is not stored, so it is reported again when the session is held next.
      plan.faults.push(`${quoted(output)} has a secret of the session in its name`);
    } else if (fault !== null) {
      // A longer path does not fit into the row's key. It is reported again when the session is held next.
      if (output.path.length <= MAX_PATH_BYTES) plan.rejected.push(output);
      plan.faults.push(`${quoted(output)} ${fault}`);
    } else if (total > 0 && total + output.size > limits.totalBytes) {
      plan.later = true;
      plan.faults.push(`${quoted(output)} is saved with the next collection`);
    } else {
      total += output.size;
      plan.taken.push(output);
    }
  }
  if (more) plan.faults.push(`there are more than ${limits.files} files, and the others were left out`);
  if (unreadable) plan.faults.push("not every directory could be read");
  return plan;
}

/** Returns whether a path contains a secret. A name is not masked: that could be another file's. */
function holdsSecret({ path }: ListedFile, mask: (text: string) => string): boolean {
  const text = path.toString("utf8");
  return mask(text) !== text;
}

function faultOf({ path, size }: ListedFile, { fileBytes }: OutputLimits): string | null {
  if (size > fileBytes) return `has ${size} bytes, and a file may have at most ${fileBytes}`;
  return path.length > MAX_PATH_BYTES ? `has a path of more than ${MAX_PATH_BYTES} bytes` : null;
}

function quoted({ path }: ListedFile): string {
  const { name } = outputName(path);
  return `'${name.length > 200 ? `${name.slice(0, 200)}…` : name}'`;
}

const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;
const REPLACEMENT = "\uFFFD";

/**
 * Returns the path of an output as a file name that can be stored, shown and sent. Bytes that are not UTF-8
 * and control characters of a terminal are replaced; `changed` says whether there were any.
 */
export function outputName(path: Buffer): { name: string; changed: boolean } {
  const text = path.toString("utf8");
  const name = text.replaceAll(CONTROLS, REPLACEMENT);
  return { name, changed: name !== text || !isUtf8(path) };
}
