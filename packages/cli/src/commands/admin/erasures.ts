import { setTimeout as pause } from "node:timers/promises";
import type { Erasure } from "@berth/sdk";
import { type ConfirmOptions, confirm } from "../../shared/confirm.ts";
import { UsageError } from "../../shared/failure.ts";
import { printResult } from "../../shared/output.ts";
import { paletteFor } from "../../terminal/palette.ts";
import { plainLine } from "../../terminal/plain-text.ts";
import { table } from "../../terminal/table.ts";
import { type AdminOptions, administer, allOf } from "./administer.ts";

const LOOK_MS = 500;

interface EraseOptions extends AdminOptions, ConfirmOptions {
  user?: string;
  org?: string;
  /** Seconds to wait until everything is erased. */
  wait: number;
}

export async function erase({ user, org, wait, ...options }: EraseOptions): Promise<undefined> {
  if ((user === undefined) === (org === undefined))
    throw new UsageError("Set either --user or --org, the owner of the data.");
  const whose = user === undefined ? `the organization ${org} and all its users` : `the user ${user}`;
  const { admin, named } = await administer(options);
  await confirm(`Erase all data of ${plainLine(whose)}? It can only be restored from a backup.`, options);
  const subject =
    user === undefined
      ? { organization_id: await named.organization(org ?? "") }
      : { user_id: await named.user(user) };
  const end = performance.now() + wait * 1_000;
  let receipt = await admin.erasures.create(subject);
  while (receipt.completed_at === null && performance.now() < end) {
    await pause(LOOK_MS);
    receipt = await admin.erasures.get(receipt.id);
  }
  await printReceipt(receipt, options);
}

export async function listErasures(options: AdminOptions): Promise<undefined> {
  const { admin } = await administer(options);
  const data = await allOf(admin.erasures.list({ limit: 100 }));
  await printResult({ data }, options, () => tableOf(data));
}

export async function getErasure(id: string, options: AdminOptions): Promise<undefined> {
  const { admin } = await administer(options);
  await printReceipt(await admin.erasures.get(id), options);
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
    `Its tokens are no longer accepted. A running service erases the rest.${what}`,
    `To read the complete receipt later: berth admin erasures get ${id}`,
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
