import type { DeviceAuthorization, Scope } from "@berth/contract";
import type { Config } from "../config/config.ts";
import type { DatabaseAccess } from "../db/database-access.ts";
import { ApiError } from "../errors/api-error.ts";
import {
  approveAuthorization,
  denyAuthorization,
  findAuthorization,
  type GivenCode,
} from "../features/device-authorizations/decide-authorization.ts";
import {
  type PendingRow,
  toDeviceAuthorization,
} from "../features/device-authorizations/device-authorization-store.ts";
import { userCodeKey } from "../features/device-authorizations/device-codes.ts";
import { readSecretKey } from "../secrets/secret-key.ts";
import { OperatorError } from "./as-operator.ts";
import { enabledUser } from "./user-store.ts";

/** What a login that waits is to become. */
export interface LoginApproval {
  /** The email of the user whose token it becomes. */
  user: string;
  /** Default: what was asked for. */
  scopes?: readonly Scope[] | undefined;
}

/** @throws OperatorError when no login waits with this code. */
export async function findLogin(
  db: DatabaseAccess,
  code: string,
  config: Config,
): Promise<DeviceAuthorization> {
  return await decided(findAuthorization(db.read, givenCode(code, config)));
}

/**
 * The token depends on no other token.
 *
 * @throws OperatorError when no login waits with this code, the user is missing or disabled, or a scope was not asked for.
 */
export async function approveLogin(
  db: DatabaseAccess,
  code: string,
  { user, scopes = undefined }: LoginApproval,
  config: Config,
): Promise<DeviceAuthorization> {
  const { id: userId, organization_id: organizationId } = await enabledUser(db.write, user);
  const approver = { organizationId, userId, tokenId: null };
  const given = givenCode(code, config);
  return await decided(approveAuthorization(db, given, approver, scopes ?? null, () => true));
}

/** @throws OperatorError when no login waits with this code. */
export async function denyLogin(
  db: DatabaseAccess,
  code: string,
  config: Config,
): Promise<DeviceAuthorization> {
  return await decided(denyAuthorization(db, givenCode(code, config)));
}

function givenCode(code: string, { secretKeyFile, dataDir }: Config): GivenCode {
  return { code, key: userCodeKey(readSecretKey({ file: secretKeyFile, dataDir })) };
}

async function decided(work: Promise<PendingRow>): Promise<DeviceAuthorization> {
  try {
    return toDeviceAuthorization(await work);
  } catch (error) {
    throw error instanceof ApiError ? new OperatorError(error.message) : error;
  }
}
