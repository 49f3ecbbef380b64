import { isUtf8 } from "node:buffer";
import type { ListedFile } from "../sandbox-io/nul-records.ts";
import type { OutputListing } from "./list-outputs.ts";
import type { Collected } from "./output-store.ts";

export interface OutputLimits {
  files: number;
  /** Of one file. */
  fileBytes: number;
  /** Of all files that one collection reads. */
  totalBytes: number;
}

export interface OutputPlan {
  /** To be read now. */
  taken: ListedFile[];
  /** Left out until they change. */
  rejected: ListedFile[];
  /** There are some that the next collection will take. */
  later: boolean;
  /** Why something is left out, a clause each. What an earlier collection reported is not repeated. */
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
      // No trace of the path is stored: it is reported again when the session is held the next time.
      plan.faults.push(`${quoted(output)} has a secret of the session in its name`);
    } else if (fault !== null) {
      // A longer path cannot be in a row's key: it is reported again when the session is held the next time.
      if (output.path.length <= MAX_PATH_BYTES) plan.rejected.push(output);
      plan.faults.push(`${quoted(output)} ${fault}`);
    } else if (total > 0 && total + output.size > limits.totalBytes) {
      plan.later = true;
      plan.faults.push(`${quoted(output)} has to wait for the next collection`);
    } else {
      total += output.size;
      plan.taken.push(output);
    }
  }
  if (more) plan.faults.push(`there are more than ${limits.files} files, and those beyond are left out`);
  if (unreadable) plan.faults.push("not every directory could be read");
  return plan;
}

/** Names are stored as they are, unlike texts, since a masked one would be another file's. */
function holdsSecret({ path }: ListedFile, mask: (text: string) => string): boolean {
  const text = path.toString("utf8");
  return mask(text) !== text;
}

function faultOf({ path, size }: ListedFile, { fileBytes }: OutputLimits): string | null {
  if (size > fileBytes) return `has ${size} bytes, more than the ${fileBytes} that a file may have`;
  return path.length > MAX_PATH_BYTES ? `has a path of more than ${MAX_PATH_BYTES} bytes` : null;
}

function quoted({ path }: ListedFile): string {
  const { name } = outputName(path);
  return `'${name.length > 200 ? `${name.slice(0, 200)}…` : name}'`;
}

const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;
const REPLACEMENT = "\uFFFD";

/**
 * The path of an output as a file name that can be stored, shown and sent: bytes that are not UTF-8 and characters
 * that control a terminal are replaced, and `changed` is true then.
 */
export function outputName(path: Buffer): { name: string; changed: boolean } {
  const text = path.toString("utf8");
  const name = text.replaceAll(CONTROLS, REPLACEMENT);
  return { name, changed: name !== text || !isUtf8(path) };
}
