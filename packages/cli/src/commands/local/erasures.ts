import { administration, type ErasureReceipt } from "@berth/server";
import { type ConfirmOptions, confirm } from "../../shared/confirm.ts";
import { UsageError } from "../../shared/failure.ts";
import type { OutputOptions } from "../../shared/formats.ts";
import { printResult } from "../../shared/output.ts";
import { paletteFor } from "../../terminal/palette.ts";
import { plainLine } from "../../terminal/plain-text.ts";
import { table } from "../../terminal/table.ts";
import { operatorErrors } from "./operator-errors.ts";

interface ErasureOptions extends OutputOptions {
  dataDir?: string;
  config?: string;
}

interface EraseOptions extends ErasureOptions, ConfirmOptions {
  user?: string;
  org?: string;
  /** Seconds. */
  wait: number;
}

export async function erase({ user, org, wait, ...options }: EraseOptions): Promise<undefined> {
  if ((user === undefined) === (org === undefined))
    throw new UsageError("Set either --user or --org: whose data is erased.");
  const whose = user === undefined ? `the organization ${org} and all its users` : `the user ${user}`;
  await confirm(`Erase all data of ${plainLine(whose)}? It cannot be had back but from a backup.`, options);
  const receipt = await operatorErrors(async () => {
    const admin = erasuresOf(options);
    return await admin.wait(await admin.begin({ user, organization: org }), wait * 1_000);
  });
  await printReceipt(receipt, options);
}

export async function listErasures(options: ErasureOptions): Promise<undefined> {
  const data = await operatorErrors(() => erasuresOf(options).list());
  await printResult({ data }, options, () => tableOf(data));
}

export async function getErasure(id: string, options: ErasureOptions): Promise<undefined> {
  await printReceipt(await operatorErrors(() => erasuresOf(options).get(id)), options);
}

function erasuresOf({ dataDir, config }: ErasureOptions) {
  return administration({ "data-dir": dataDir, config }).erasures;
}

async function printReceipt(receipt: ErasureReceipt, options: ErasureOptions): Promise<void> {
  await printResult(receipt, options, () => linesOf(receipt));
}

function linesOf(receipt: ErasureReceipt): string[] {
  const { dim } = paletteFor(process.stdout);
  const counts = Object.entries(receipt.deleted).toSorted(([one], [other]) => one.localeCompare(other));
  const rows = [
    ["erasure", receipt.id],
    ["of", receipt.subject_id],
    ["requested", receipt.requested_at],
    ["complete", receipt.completed_at ?? "not yet"],
    ...counts.map(([kind, count]) => [kind.replaceAll("_", " "), `${count}`]),
    ...receipt.handed_over.map((id) => ["of the organization now", id]),
    ...receipt.remains.map((what) => ["not erased", what]),
  ];
  const lines = table(rows.map(([name = "", value = ""]) => [dim(name), value]));
  return receipt.completed_at === null ? [...lines, "", ...waitingLines(receipt)] : lines;
}

function waitingLines({ id, waiting_for: { sessions, contents } }: ErasureReceipt): string[] {
  const waits = sessions.map(({ home, sessions: count }) =>
    home === null ? `${count} sessions` : `${count} sessions whose disks are at ${plainLine(home)}`,
  );
  if (contents > 0) waits.push(`${contents} contents of files and skills`);
  const what = waits.length === 0 ? "" : ` Left: ${waits.join(", ")}.`;
  return [
    `No token of it is accepted any more. The rest is erased while a service runs.${what}`,
    `The receipt is complete later: berth admin erasures get ${id}`,
  ];
}

function tableOf(erasures: readonly ErasureReceipt[]): string[] {
  if (erasures.length === 0) return [];
  const { dim } = paletteFor(process.stdout);
  const head = ["ID", "OF", "REQUESTED", "COMPLETE"].map(dim);
  const rows = erasures.map(({ id, subject_id, requested_at, completed_at }) => [
    ...[id, subject_id, requested_at, completed_at ?? "not yet"],
  ]);
  return table([head, ...rows]);
}
