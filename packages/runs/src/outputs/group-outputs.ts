import type { ListedFile } from "../sandbox-io/nul-records.ts";

/** The most bytes of a group, all of which are in memory at once. */
export const GROUP_BYTES = 4 * 1024 * 1024;

/** Divides outputs into groups, each to be read by one command, and outputs that are too large for any. */
export function groupOutputs(outputs: readonly ListedFile[]): {
  groups: ListedFile[][];
  large: ListedFile[];
} {
  const groups: ListedFile[][] = [];
  const large: ListedFile[] = [];
  let free = 0;
  for (const output of outputs) {
    if (output.size > GROUP_BYTES) {
      large.push(output);
      continue;
    }
    if (output.size > free || groups.length === 0) {
      groups.push([]);
      free = GROUP_BYTES;
    }
    groups.at(-1)?.push(output);
    free -= output.size;
  }
  return { groups, large };
}
