import type { Berth } from "@berth/sdk";
import { type ConfirmOptions, confirm } from "../../shared/confirm.ts";
import { printResult } from "../../shared/output.ts";
import { plainLine } from "../../terminal/plain-text.ts";
import { printMessage } from "../../terminal/print.ts";
import { approvedLine, DENIED_LINE, describeAuthorization } from "../login/describe-authorization.ts";
import { type AdminOptions, administer } from "./administer.ts";
import { scopeOf } from "./scope-of.ts";

export async function approveLogin(
  user_code: string,
  options: AdminOptions & ConfirmOptions & { user: string; scopes?: string[] },
): Promise<undefined> {
  const scopes = options.scopes?.map(scopeOf) ?? null;
  const { admin, named } = await administer(options);
  await describe(admin, user_code);
  await confirm(`Give it a token of ${plainLine(options.user)}?`, options);
  const user_id = await named.user(options.user);
  const approved = await admin.deviceAuthorizations.approve({ user_code, user_id, scopes });
  await printResult(approved, options, () => [approvedLine(approved)]);
}

export async function denyLogin(
  user_code: string,
  options: AdminOptions & ConfirmOptions,
): Promise<undefined> {
  const { admin } = await administer(options);
  await describe(admin, user_code);
  await confirm("Deny it a token?", options);
  await printResult(await admin.deviceAuthorizations.deny({ user_code }), options, () => [DENIED_LINE]);
}

/** Prints who asks for a token with this code. */
async function describe(admin: Berth["admin"], user_code: string): Promise<void> {
  const asked = await admin.deviceAuthorizations.lookup({ user_code });
  for (const line of describeAuthorization(asked)) printMessage(line);
}
