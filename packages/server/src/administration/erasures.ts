import { setTimeout as pause } from "node:timers/promises";
import { formatId, newUuid, uuidTimestamp } from "@berth/contract";
import type { DatabaseAccess } from "../db/database-access.ts";
import type { Queryable } from "../db/statement.ts";
import {
  type Erasure,
  erasedContents,
  readErasures,
  remainingSessions,
  requestErasure,
} from "../deletion/erasure-store.ts";
import { listHosts } from "../start/list-hosts.ts";
import { OperatorError } from "./as-operator.ts";
import { organizationId } from "./organization-store.ts";
import { userId } from "./user-store.ts";

/** Whose data is erased: a user by the email address, or an organization by its name. */
export interface ErasureSubject {
  user?: string | undefined;
  organization?: string | undefined;
}

/** What an erasure did, as the operator keeps it. It names nobody but by ids. */
export interface ErasureReceipt {
  id: string;
  subject_type: Erasure["subject_type"];
  /** As the API shows it. */
  subject_id: string;
  organization_id: string;
  requested_at: string;
  /** Null until nothing of it is left. */
  completed_at: string | null;
  /** How much of each kind is gone. */
  deleted: Record<string, number>;
  /** Agents and environments of a user that sessions of others use: they belong to the organization now, archived. */
  handed_over: string[];
  /** What it waits for. */
  waiting_for: {
    /** Sessions whose disk a host has still to remove; without a home, those that any host ends. */
    sessions: { home: string | null; sessions: number }[];
    /** Contents of files and skills. */
    contents: number;
  };
  /** What an erasure does not reach. */
  remains: readonly string[];
}

const REMAINS = [
  "entries of the audit log, which have ids, client addresses and nothing that was written or said",
  "versions of memories that the subject's agents wrote into stores of others",
  "log files of the service, traces that were exported, and backups that were made before",
  "layers of environments on the hosts, without a name, for 14 days after their last use",
  "unpacked skills on the hosts, for about an hour",
];

/** Repositories are copied for the whole organization. */
const COPIES: Readonly<Record<Erasure["subject_type"], string>> = {
  user: "copies of repositories on the hosts, which belong to the organization",
  organization: "copies of repositories on the hosts, for about an hour, and while a host is away",
};

export async function beginErasure(tx: Queryable, subject: ErasureSubject): Promise<Erasure> {
  const id = newUuid();
  if (subject.user !== undefined) {
    const user = await userId(tx, subject.user);
    return await requestErasure(tx, {
      id,
      subject_type: "user",
      subject_id: user.id,
      organization_id: user.organization_id,
    });
  }
  const organization = await organizationId(tx, subject.organization ?? "");
  return await requestErasure(tx, {
    id,
    subject_type: "organization",
    subject_id: organization,
    organization_id: organization,
  });
}

export async function listErasures(db: Queryable): Promise<ErasureReceipt[]> {
  const erasures = await readErasures(db);
  return await Promise.all(erasures.map((erasure) => receiptOf(db, erasure)));
}

/** @throws OperatorError when there is none with this id. */
export async function getErasure(db: Queryable, id: string): Promise<ErasureReceipt> {
  const isUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id);
  const [erasure] = isUuid ? await readErasures(db, id) : [];
  if (erasure === undefined) throw new OperatorError(`There is no erasure '${id}'.`);
  return await receiptOf(db, erasure);
}

const LOOK_MS = 500;
const HOST_SEEN_SECONDS = 30;

/** Waits until an erasure is complete, at most for `waitMs`, and not at all while no service runs. */
export async function waitForErasure(
  { read }: Pick<DatabaseAccess, "read">,
  id: string,
  waitMs: number,
): Promise<ErasureReceipt> {
  const end = performance.now() + waitMs;
  for (;;) {
    const receipt = await getErasure(read, id);
    if (receipt.completed_at !== null || performance.now() > end || !(await isServed(read))) return receipt;
    await pause(LOOK_MS);
  }
}

async function isServed(db: Queryable): Promise<boolean> {
  const hosts = await listHosts(db, "");
  return hosts.some(({ seen_seconds_ago: age }) => age !== null && age < HOST_SEEN_SECONDS);
}

async function receiptOf(db: Queryable, erasure: Erasure): Promise<ErasureReceipt> {
  const { id, subject_type: type, deleted, handed_over: handedOver } = erasure;
  return {
    id,
    subject_type: type,
    subject_id: formatId(type, erasure.subject_id),
    organization_id: formatId("organization", erasure.organization_id),
    requested_at: uuidTimestamp(id),
    completed_at: erasure.completed_at?.toISOString() ?? null,
    deleted,
    handed_over: handedOver.map((one) => formatId(one.type, one.id)),
    waiting_for: {
      sessions: await remainingSessions(db, erasure),
      contents: (await erasedContents(db, id)).length,
    },
    remains: [...REMAINS, COPIES[type]],
  };
}
