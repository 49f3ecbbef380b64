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
import type { AdministeredSettings } from "./administrator.ts";
import { enabledUser } from "./user-store.ts";

type Settings = Pick<AdministeredSettings, "userCodeKey">;

/** What a login that waits is to become. */
export interface LoginApproval {
  /** The user, by email or id, whose token it becomes. */
  user: string;
  /** Default: what was asked for. */
  scopes?: readonly Scope[] | undefined;
}

/** @throws OperatorError when no login waits with this code. */
export async function findLogin(
  db: DatabaseAccess,
  code: string,
  settings: Settings,
): Promise<DeviceAuthorization> {
  return await decided(findAuthorization(db.read, givenCode(code, settings)));
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

/** @throws OperatorError when no login waits with this code. */
export async function denyLogin(
  db: DatabaseAccess,
  code: string,
  settings: Settings,
): Promise<DeviceAuthorization> {
  return await decided(denyAuthorization(db, givenCode(code, settings)));
}

function givenCode(code: string, { userCodeKey }: Settings): GivenCode {
  return { code, key: userCodeKey() };
}

async function decided(work: Promise<PendingRow>): Promise<DeviceAuthorization> {
  try {
    return toDeviceAuthorization(await work);
  } catch (error) {
    throw error instanceof ApiError ? new OperatorError(error.message, error.type) : error;
  }
}
