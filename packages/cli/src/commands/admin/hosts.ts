import type { Host } from "@berth/sdk";
import { type ConfirmOptions, confirm } from "../../shared/confirm.ts";
import { printResult } from "../../shared/output.ts";
import { plainLine } from "../../terminal/plain-text.ts";
import { type AdminOptions, administer, allOf } from "./administer.ts";
import { tableOf } from "./print-rows.ts";

export async function listHosts(options: AdminOptions): Promise<undefined> {
  const { admin } = await administer(options);
  const hosts = await allOf(admin.hosts.list());
  await printResult({ data: hosts }, options, () => tableOf(hosts.map(hostRow), HOST_COLUMNS));
}

const HOST_COLUMNS = [
  "id",
  "name",
  "place",
  "role",
  "version",
  "load",
  "last_seen",
  "sessions",
  "deleted_sessions",
  "draining",
  "other_settings",
] as const;

function hostRow(host: Host) {
  const seconds = host.seen_seconds_ago;
  return {
    ...host,
    load: `${host.running_sessions}/${host.capacity ?? "-"}`,
    last_seen: seconds === null ? "never" : `${Math.max(0, Math.round(seconds))} s ago`,
    draining: host.draining ? "yes" : "no",
    other_settings: host.other_settings.join(" ") || null,
  };
}

export async function drainHost(
  id: string,
  options: AdminOptions & { cancel?: boolean },
): Promise<undefined> {
  const { admin } = await administer(options);
  const host = await (options.cancel ? admin.hosts.resume(id) : admin.hosts.drain(id));
  const told = options.cancel
    ? `The host ${id} takes sessions again.`
    : `The host ${id} takes no new sessions. It has the disks of ${host.sessions} sessions. When a session is idle, its outputs are saved and its disk is deleted, with everything that was not pushed, unless workspaces are saved (BERTH_WORKSPACE_SAVES).`;
  await printResult(host, options, () => [told]);
}

export async function forgetHost(
  id: string,
  options: AdminOptions & ConfirmOptions & { force?: boolean },
): Promise<undefined> {
  const { admin } = await administer(options);
  const question = `Forget the host ${plainLine(id)}? Its disks are given up, with everything that was not pushed or saved.`;
  await confirm(question, options);
  const forgotten = await admin.hosts.forget(id, { force: options.force === true });
  const told = `The host ${id} is forgotten. The disks of ${forgotten.sessions} sessions are given up.`;
  await printResult(forgotten, options, () => [told]);
}

export async function releaseSession(id: string, options: AdminOptions): Promise<undefined> {
  const { admin } = await administer(options);
  const released = await admin.sessions.release(id);
  const told = released.was_set_aside
    ? `The session ${id} is released: it runs turns again.`
    : `The session ${plainLine(id)} was not set aside.`;
  await printResult(released, options, () => [told]);
}
