import { type MovedContents, moveContents } from "@berth/server";
import { EXIT_CODES } from "../../shared/exit-codes.ts";
import type { OutputOptions } from "../../shared/formats.ts";
import { printResult } from "../../shared/output.ts";
import { operatorErrors } from "./operator-errors.ts";

interface MoveOptions extends OutputOptions {
  from: string;
  to: string;
  dataDir?: string;
  config?: string;
}

/** Moves contents and prints what was copied. Returns exit code 1 when contents are missing or damaged. */
export async function moveBlobs({
  from,
  to,
  dataDir,
  config,
  ...output
}: MoveOptions): Promise<number | undefined> {
  const flags = { "data-dir": dataDir, config };
  const moved = await operatorErrors(() => moveContents(flags, { from, to }));
  await printResult(moved, output, () => describe(moved));
  return moved.damaged.length > 0 ? EXIT_CODES.failed : undefined;
}

function describe({ from, to, copied, bytes, present, damaged }: MovedContents): string[] {
  const lines = [
    `${copied} contents (${bytes} bytes) were copied from ${from} to ${to}, and ${present} were there before.`,
    ...damaged.map((sha256) => `The content ${sha256} is missing or damaged at ${from}.`),
  ];
  const next =
    damaged.length > 0
      ? `The installation keeps its contents at ${from} until all of them can be copied.`
      : `Set BERTH_BLOBS=${to} and start the service. After that, the contents at ${from} can be deleted.`;
  return [...lines, next];
}
