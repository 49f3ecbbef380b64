import { type deviceTokenRoutes, formatId, type ResponseOf } from "@berth/contract";
import { appendAuditEntry } from "@berth/store/audit";
import type { Queryable } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import type { OpenScope } from "../../request/request-scope.ts";
import { issueToken } from "../tokens/create-token.ts";
import { type TokenRow, toToken } from "../tokens/token-store.ts";
import { deviceCodeHash } from "./device-codes.ts";
import { lockApprover, lockByDeviceCode, notePoll, type PolledRow, setUsed } from "./poll-store.ts";

type Given = ResponseOf<(typeof deviceTokenRoutes)["create"]>;

/**
 * Creates the token of an approved authorization and returns it, once. The token belongs to the approver, and
 * is a child of the token used to approve. It is created in one transaction with its audit entry.
 *
 * @throws errors.authorizationPending, errors.slowDown, errors.deviceDenied, errors.deviceExpired,
 * errors.deviceUnknown. The poll is recorded even then.
 */
export async function giveToken(scope: OpenScope, deviceCode: string): Promise<Given> {
  const outcome = await scope.db.transaction((tx) => poll(tx, scope, deviceCode));
  if (outcome instanceof Error) throw outcome;
  return outcome;
}

async function poll(tx: Queryable, scope: OpenScope, deviceCode: string): Promise<Given | Error> {
  const found = await lockByDeviceCode(tx, deviceCodeHash(deviceCode));
  if (found === null || found.status === "used") return errors.deviceUnknown();
  if (found.expired) return errors.deviceExpired();
  if (found.status === "denied") return errors.deviceDenied();
  if (found.status === "pending") {
    const seconds = await notePoll(tx, found);
    return found.early ? errors.slowDown(seconds) : errors.authorizationPending();
  }
  const approver = await lockApprover(tx, found);
  if (approver === null) return errors.deviceDenied();
  const { row, secret } = await issueToken(tx, { ...termsOf(found), expires_at: approver.expires_at });
  await setUsed(tx, found.id);
  await appendEntry(tx, scope, found, row);
  return { ...toToken(row), token: secret };
}

function termsOf(found: PolledRow) {
  return {
    organization_id: found.organization_id,
    owner_type: "user" as const,
    owner_id: found.user_id,
    principal_id: found.user_id,
    kind: "pat" as const,
    name: found.client_name ?? `login from ${found.client_address}`,
    scopes: found.granted_scopes,
    parent_id: found.approved_with,
    independent: false,
  };
}

/** Records the approver as the actor, and the device's address as the client. */
async function appendEntry(
  tx: Queryable,
  { operation, client, userAgent, requestId }: OpenScope,
  { id, user_id, approved_with }: PolledRow,
  token: TokenRow,
): Promise<void> {
  await appendAuditEntry(tx, {
    organizationId: token.organization_id,
    actor:
      approved_with === null
        ? { type: "operator", tokenId: null }
        : { type: "user", id: user_id, tokenId: approved_with },
    operation: operation.id,
    resources: [formatId("device_authorization", id), formatId("token", token.id)],
    client,
    userAgent,
    requestId,
  });
}
