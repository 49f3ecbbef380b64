import type { ForgottenHost, Host } from "@berth/contract";
import type { Queryable } from "@berth/store/db";
import { OperatorError } from "@berth/store/errors";
import { forgetHome, readHosts } from "@berth/store/leases";
import { listHosts } from "./list-hosts.ts";

/**
 * Starts or stops draining a host, and returns it.
 *
 * @throws OperatorError when the host was never seen.
 */
export async function setDraining(
  db: Queryable,
  id: string,
  draining: boolean,
  ownId: string,
): Promise<Host> {
  await db.query({ text: "update hosts set draining = $2 where id = $1", values: [id, draining] });
  const host = (await listHosts(db, ownId)).find((entry) => entry.id === id && entry.version !== null);
  if (host === undefined) throw unknownHost(id);
  return host;
}

/**
 * Removes a host that is gone and gives up its disks. Its sessions continue elsewhere without them.
 *
 * @param graceMs milliseconds within which a host must have been seen to count as online.
 * @returns how many sessions had their disk there.
 * @throws OperatorError when there is no such host, or when it is online and `force` is not set.
 */
export async function forgetHost(
  db: Queryable,
  id: string,
  { graceMs, force }: { graceMs: number; force: boolean },
): Promise<ForgottenHost> {
  const host = (await readHosts(db)).find((entry) => entry.id === id);
  if (host === undefined) throw unknownHost(id);
  const { seen_seconds_ago: age, place } = host;
  if (age !== null && age * 1_000 < graceMs && !force) {
    const ago = Math.max(0, Math.round(age));
    throw new OperatorError(
      `The host '${id}' was seen ${ago} seconds ago, so it may still hold the disks of its sessions. Stop it and wait, drain it, or use force to give up the disks.`,
    );
  }
  await db.query({ text: "delete from hosts where id = $1", values: [id] });
  if (await hasHost(db, place)) return { id, type: "host_forgotten", sessions: 0 };
  const { rows } = await db.query<{ id: string }>({
    text: "select id from sessions where home = $1 order by id",
    values: [place],
  });
  let sessions = 0;
  for (const session of rows) if (await forgetHome(db, session.id, place)) sessions += 1;
  return { id, type: "host_forgotten", sessions };
}

/** Returns whether another host can use the disks. */
async function hasHost(db: Queryable, place: string): Promise<boolean> {
  const { rows } = await db.query({ text: "select from hosts where place = $1 limit 1", values: [place] });
  return rows.length > 0;
}

function unknownHost(id: string): OperatorError {
  return new OperatorError(`There is no host '${id.slice(0, 100)}'.`, "not_found_error");
}
