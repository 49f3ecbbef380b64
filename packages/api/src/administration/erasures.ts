import {
  type adminRoutes,
  type Erasure as ErasureReceipt,
  formatId,
  type Input,
  newUuid,
  type Page,
  uuidOrNil,
  uuidTimestamp,
} from "@berth/contract";
import type { Administrator } from "@berth/store/access";
import type { Queryable } from "@berth/store/db";
import { errors, OperatorError } from "@berth/store/errors";
import {
  type Erasure,
  erasedContents,
  type NewErasure,
  readErasure,
  remainingSessions,
  requestErasure,
  selectErasures,
} from "../deletion/erasure-store.ts";
import { listPage } from "../request/page.ts";
import type { AdminRequest } from "./admin-mount.ts";
import { organizationId } from "./organization-store.ts";
import { checkMayLose, userId } from "./user-store.ts";

/** Subject of an erasure: the id of a user, or of an organization. */
export interface ErasureSubject {
  user?: string | undefined;
  organization?: string | undefined;
}

const REMAINS = [
  "entries of the audit log, which have ids and client addresses but no contents",
  "versions of memories that the subject's agents wrote into other owners' stores",
  "log files of the service, exported traces, and backups made before the erasure",
  "layers of environments on the hosts, without a name, for 14 days after their last use",
  "unpacked skills on the hosts, for about an hour",
];

/** Data that remains in each case: copies of repositories and service accounts belong to the organization. */
const OF_ORGANIZATION: Readonly<Record<Erasure["subject_type"], readonly string[]>> = {
  user: [
    "copies of repositories on the hosts, which belong to the organization",
    "tokens of service accounts that the user made independent, which continue to work; the other tokens created with the user's tokens are revoked",
  ],
  organization: ["copies of repositories on the hosts, for about an hour, and while a host is away"],
};

/**
 * Checks that an administrator may erase a subject.
 *
 * @throws errors.operatorErases for an organization; as `checkMayLose`.
 */
export async function checkMayErase(
  tx: Queryable,
  administrator: Administrator,
  { user }: ErasureSubject,
): Promise<void> {
  if (user !== undefined) await checkMayLose(tx, administrator, user);
  else if (administrator.kind !== "operator") throw errors.operatorErases();
}

/** Requests an erasure. Returns the existing one if the subject already has one. */
export async function beginErasure(tx: Queryable, subject: ErasureSubject): Promise<ErasureReceipt> {
  return await receiptOf(tx, await requestErasure(tx, { id: newUuid(), ...(await subjectOf(tx, subject)) }));
}

async function subjectOf(
  tx: Queryable,
  { user, organization = "" }: ErasureSubject,
): Promise<Omit<NewErasure, "id">> {
  if (user !== undefined) {
    const { id, organization_id } = await userId(tx, user);
    return { subject_type: "user", subject_id: id, organization_id };
  }
  const id = await organizationId(tx, organization);
  return { subject_type: "organization", subject_id: id, organization_id: id };
}

export async function pageOfErasures(
  request: AdminRequest,
  input: Input<typeof adminRoutes.adminErasures.list>,
): Promise<Page<ErasureReceipt>> {
  const { read } = request.db;
  const { organization_id: given } = input.query;
  const organization = given === undefined ? null : uuidOrNil("organization", given);
  const page = await listPage(
    request,
    input,
    "erasure",
    (row: Erasure) => row,
    (range) => selectErasures(read, range, organization),
  );
  return { ...page, data: await Promise.all(page.data.map((erasure) => receiptOf(read, erasure))) };
}

/** Reads an erasure. @throws OperatorError when none has this id. */
export async function getErasure(db: Queryable, id: string): Promise<ErasureReceipt> {
  const erasure = await readErasure(db, uuidOf(id));
  if (erasure === null)
    throw new OperatorError(`Erasure '${id.slice(0, 100)}' does not exist.`, "not_found_error");
  return await receiptOf(db, erasure);
}

/** Returns the uuid of an erasure. Older receipts have the bare uuid as their id. */
function uuidOf(id: string): string {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id) ? id : uuidOrNil("erasure", id);
}

async function receiptOf(db: Queryable, erasure: Erasure): Promise<ErasureReceipt> {
  const { id, subject_type: type, deleted, handed_over: handedOver } = erasure;
  return {
    id: formatId("erasure", id),
    type: "erasure",
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
    remains: [...REMAINS, ...OF_ORGANIZATION[type]],
  };
}
