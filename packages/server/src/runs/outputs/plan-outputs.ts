import type { Output, OutputListing } from "./list-outputs.ts";
import { outputName } from "./output-name.ts";
import type { Collected } from "./output-store.ts";

export interface OutputLimits {
  files: number;
  /** Of one file. */
  fileBytes: number;
  /** Of all that is read at once. */
  totalBytes: number;
}

export interface OutputPlan {
  /** To be read now. */
  taken: Output[];
  /** Left out for good, as long as they are as they are now. */
  refused: Output[];
  /** There are some that the next collection will take. */
  later: boolean;
  /** Why something is left out, a sentence each; what was told before is not. */
  faults: string[];
}

const LONGEST_PATH_BYTES = 1_024;

/** Decides which outputs are read: those that are not as they were when they were collected, within the limits. */
export function planOutputs(
  { outputs, more, unreadable }: OutputListing,
  known: ReadonlyMap<string, Collected>,
  limits: OutputLimits,
): OutputPlan {
  const plan: OutputPlan = { taken: [], refused: [], later: false, faults: [] };
  let total = 0;
  for (const output of outputs) {
    if (known.get(output.path.toString("latin1"))?.stamp === output.stamp) continue;
    const fault = refusal(output, limits);
    if (fault !== null) {
      // A longer one cannot be in a row's key: it is told of again when the session is held the next time.
      if (output.path.length <= LONGEST_PATH_BYTES) plan.refused.push(output);
      plan.faults.push(`${shown(output)} ${fault}`);
    } else if (total > 0 && total + output.size > limits.totalBytes) {
      plan.later = true;
      plan.faults.push(`${shown(output)} has to wait for the next collection`);
    } else {
      total += output.size;
      plan.taken.push(output);
    }
  }
  if (more) plan.faults.push(`there are more than ${limits.files} files, and those beyond are left out`);
  if (unreadable) plan.faults.push("not every directory could be read");
  return plan;
}

function refusal({ path, size }: Output, { fileBytes }: OutputLimits): string | null {
  if (size > fileBytes) return `has ${size} bytes, more than the ${fileBytes} that a file may have`;
  return path.length > LONGEST_PATH_BYTES ? `has a path of more than ${LONGEST_PATH_BYTES} bytes` : null;
}

function shown({ path }: Output): string {
  const { name } = outputName(path);
  return `'${name.length > 200 ? `${name.slice(0, 200)}…` : name}'`;
}
