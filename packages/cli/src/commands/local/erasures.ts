import type { Erasure } from "@berth/sdk";
import { type ConfirmOptions, confirm } from "../../shared/confirm.ts";
import { UsageError } from "../../shared/failure.ts";
import { printResult } from "../../shared/output.ts";
import { paletteFor } from "../../terminal/palette.ts";
import { plainLine } from "../../terminal/plain-text.ts";
import { table } from "../../terminal/table.ts";
import { type AdminOptions, administer } from "./administer.ts";

interface EraseOptions extends AdminOptions, ConfirmOptions {
  user?: string;
  org?: string;
  /** Seconds to wait until everything is erased. */
  wait: number;
}

export async function erase({ user, org, wait, ...options }: EraseOptions): Promise<undefined> {
  if ((user === undefined) === (org === undefined))
    throw new UsageError("Set either --user or --org: whose data is erased.");
  const whose = user === undefined ? `the organization ${org} and all its users` : `the user ${user}`;
  const receipt = await administer(options, async ({ erasures }) => {
    await confirm(`Erase all data of ${plainLine(whose)}? It cannot be had back but from a backup.`, options);
    return await erasures.wait((await erasures.begin({ user, organization: org })).id, wait * 1_000);
  });
  await printReceipt(receipt, options);
}

export async function listErasures(options: AdminOptions): Promise<undefined> {
  const data = await administer(options, ({ erasures }) => erasures.list());
  await printResult({ data }, options, () => tableOf(data));
}

export async function getErasure(id: string, options: AdminOptions): Promise<undefined> {
  await printReceipt(await administer(options, ({ erasures }) => erasures.get(id)), options);
}

async function printReceipt(receipt: Erasure, options: AdminOptions): Promise<void> {
  await printResult(receipt, options, () => linesOf(receipt));
}

function linesOf(receipt: Erasure): string[] {
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

function waitingLines({ id, waiting_for: { sessions, contents } }: Erasure): string[] {
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

function tableOf(erasures: readonly Erasure[]): string[] {
  if (erasures.length === 0) return [];
  const { dim } = paletteFor(process.stdout);
  const head = ["ID", "OF", "REQUESTED", "COMPLETE"].map(dim);
  const rows = erasures.map(({ id, subject_id, requested_at, completed_at }) => [
    ...[id, subject_id, requested_at, completed_at ?? "not yet"],
  ]);
  return table([head, ...rows]);
}
