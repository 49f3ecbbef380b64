import { type DeviceAuthorization, formatId, type Scope } from "@berth/contract";
import type { DatabaseAccess } from "@berth/store/db";
import { ApiError, OperatorError } from "@berth/store/errors";
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
import type { AdministeredSettings } from "./admin-mount.ts";
import { enabledUser } from "./user-store.ts";

type Settings = Pick<AdministeredSettings, "userCodeKey">;

/** Terms on which a pending login is approved. */
export interface LoginApproval {
  /** Id of the user who gets the token. */
  user: string;
  /** Scopes of the token. Default: the requested ones. */
  scopes?: readonly Scope[] | undefined;
}

/** @throws OperatorError when no login with this code is pending. */
export async function findLogin(
  db: DatabaseAccess,
  code: string,
  settings: Settings,
): Promise<DeviceAuthorization> {
  return await decided(findAuthorization(db.read, givenCode(code, settings)));
}

/**
 * Approves a login. The new token has no parent.
 *
 * @throws OperatorError when no login with this code is pending, the user is missing or disabled, or a scope
 * was not requested.
 */
export async function approveLogin(
  db: DatabaseAccess,
  code: string,
  { user, scopes = undefined }: LoginApproval,
  settings: Settings,
): Promise<{ login: DeviceAuthorization; organization: string; user: string }> {
  const { id: userId, organization_id: organizationId } = await enabledUser(db.write, user);
  const approver = { organizationId, userId, tokenId: null };
  const given = givenCode(code, settings);
  return {
    login: await decided(approveAuthorization(db, given, approver, scopes ?? null, () => true)),
    organization: formatId("organization", organizationId),
    user: formatId("user", userId),
  };
}

/** @throws OperatorError when no login with this code is pending. */
export async function denyLogin(
  db: DatabaseAccess,
  code: string,
  settings: Settings,
): Promise<DeviceAuthorization> {
  return await decided(denyAuthorization(db, givenCode(code, settings)));
}

function givenCode(code: string, { userCodeKey }: Settings): GivenCode {
  return { code, key: userCodeKey };
}

async function decided(work: Promise<PendingRow>): Promise<DeviceAuthorization> {
  try {
    return toDeviceAuthorization(await work);
  } catch (error) {
    throw error instanceof ApiError ? new OperatorError(error.message, error.type) : error;
  }
}
