import { deviceAuthorizationRoutes, deviceTokenRoutes } from "@berth/contract";
import { hasScope } from "@berth/store/access";
import { CodeAttempts, type Rates } from "@berth/store/limits";
import type { HttpApp } from "../../http/http-app.ts";
import { mount, mountOpen } from "../../http/mount.ts";
import type { RequestScope } from "../../request/request-scope.ts";
import {
  approveAuthorization,
  denyAuthorization,
  findAuthorization,
  type GivenCode,
  requireUser,
} from "./decide-authorization.ts";
import { toDeviceAuthorization } from "./device-authorization-store.ts";
import { giveToken } from "./give-token.ts";
import { requestAuthorization } from "./request-authorization.ts";

interface Deps {
  /** The installation's key for hashing user codes. */
  userCodeKey: Uint8Array;
  /** Rate counter for tries of user codes. */
  attempts: Rates;
  /** Public base URL of the service. Null when clients use the URL that they connect to. */
  publicUrl: string | null;
  /** Whether users can approve in the console. */
  hasConsole: boolean;
}

/** Mounts logins that a user approves on another device, similar to RFC 8628. */
export function mountDeviceAuthorizations(app: HttpApp, deps: Deps): void {
  const attempts = new CodeAttempts(deps.attempts);
  const codeOf = async ({ principal, client }: RequestScope, code: string): Promise<GivenCode> => {
    requireUser(principal);
    await attempts.take(principal.id, client);
    return { code, key: deps.userCodeKey };
  };
  mountOpen(app, deviceAuthorizationRoutes.create, (request, { body }) =>
    requestAuthorization(request, body, deps),
  );
  mountOpen(app, deviceTokenRoutes.create, (request, { body }) => giveToken(request, body.device_code));
  mount(app, deviceAuthorizationRoutes.lookup, async (request, { body }) =>
    toDeviceAuthorization(await findAuthorization(request.db.read, await codeOf(request, body.user_code))),
  );
  mount(app, deviceAuthorizationRoutes.approve, async (request, { body }) => {
    const { principal, db } = request;
    const approver = {
      organizationId: principal.organizationId,
      userId: principal.id,
      tokenId: principal.tokenId,
    };
    const may = (scope: string) => hasScope(principal, scope);
    const given = await codeOf(request, body.user_code);
    return toDeviceAuthorization(await approveAuthorization(db, given, approver, body.scopes ?? null, may));
  });
  mount(app, deviceAuthorizationRoutes.deny, async (request, { body }) =>
    toDeviceAuthorization(await denyAuthorization(request.db, await codeOf(request, body.user_code))),
  );
}
