import type { Semaphore } from "@berth/concurrency";
import { readFiles } from "@berth/sandbox";
import type { ListedFile } from "../sandbox-io/nul-records.ts";
import { type CollectDeps, type Collecting, type Known, type Outcome, unreadable } from "./collecting.ts";
import { OUTPUTS } from "./list-outputs.ts";
import { type ReadOutput, storeRead } from "./store-read.ts";

export interface CollectedGroup {
  outcomes: Outcome[];
  /** Outputs that the sandbox did not return, to be collected one by one. */
  rest: ListedFile[];
}

const READING_MS = 60_000;
/** The most contents that a transaction may lock; see `lockContents`. */
const STORED_AT_ONCE = 32;

/**
 * Reads small outputs with one command, and stores them in batches.
 *
 * @param storing held while a batch is stored. @throws as `collectOutputs`
 */
export async function collectGroup(
  deps: CollectDeps,
  { lease, sandbox, signal }: Collecting,
  group: readonly ListedFile[],
  known: Known,
  storing: Semaphore,
): Promise<CollectedGroup> {
  // An empty file need not be read.
  const wanted = group.filter(({ size }) => size > 0);
  const { contents, ended } = await readFiles(sandbox, OUTPUTS, wanted, { timeoutMs: READING_MS, signal });
  const told = wanted.slice(0, contents.length);
  const read = told.flatMap((output, index): ReadOutput[] => {
    const bytes = contents[index] ?? null;
    return bytes === null ? [] : [{ output, bytes }];
  });
  const empty = group.filter(({ size }) => size === 0).map((output) => ({ output, bytes: Buffer.alloc(0) }));
  const outcomes = told.filter((_, index) => contents[index] === null).map(unreadable);
  const rest = wanted.slice(contents.length);
  let isCut = !ended && rest.length > 0;
  for (const some of slices([...empty, ...read], STORED_AT_ONCE)) {
    // A batch that was read but not stored is read again.
    isCut ||= signal.aborted;
    if (!signal.aborted) outcomes.push(...(await storing.run(() => storeRead(deps, lease, some, known))));
  }
  return isCut ? { outcomes: [...outcomes, { state: "cut" }], rest: [] } : { outcomes, rest };
}

function* slices<Item>(items: readonly Item[], size: number): Generator<Item[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size);
}
