import type { DeviceAuthorization } from "@berth/sdk";
import { type ConfirmOptions, confirm } from "../../shared/confirm.ts";
import { type ConnectionOptions, connect } from "../../shared/connection.ts";
import type { OutputOptions } from "../../shared/formats.ts";
import { givenBy } from "../../shared/given-by.ts";
import { printResult } from "../../shared/output.ts";
import { printMessage } from "../../terminal/print.ts";
import { approvedLine, DENIED_LINE, describeAuthorization } from "./describe-authorization.ts";

type ApproveOptions = ConnectionOptions &
  ConfirmOptions &
  OutputOptions & { scopes?: DeviceAuthorization["scopes"]; deny?: boolean };

/** Shows the login that has this code, then asks whether to approve or deny it. */
export async function approve(code: string, options: ApproveOptions): Promise<undefined> {
  const { deviceAuthorizations } = await connect(options);
  const shown = { user_code: code };
  for (const line of describeAuthorization(await deviceAuthorizations.lookup(shown))) printMessage(line);
  if (options.deny) {
    await confirm("Deny it a token?", options);
    await printResult(await deviceAuthorizations.deny(shown), options, () => [DENIED_LINE]);
    return;
  }
  await confirm("Give it a token of yours?", options);
  const approved = await givenBy({ scopes: "--scopes" }, () =>
    deviceAuthorizations.approve({ ...shown, scopes: options.scopes ?? null }),
  );
  await printResult(approved, options, () => [approvedLine(approved)]);
}
