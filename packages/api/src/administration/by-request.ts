import type { AnyRoute, IdKind, Input, ResponseOf } from "@berth/contract";
import { parseId } from "@berth/contract";
import { appendAuditEntry } from "@berth/store/audit";
import { asDatabase } from "@berth/store/db";
import { ApiError, errors, OperatorError } from "@berth/store/errors";
import type { HttpApp } from "../http/http-app.ts";
import { mountOperator } from "../http/mount.ts";
import { type Administration, administration } from "./administration.ts";
import type { AdministeredSettings, Administrator, OperatorRequest } from "./administrator.ts";

type AdminHandler<R extends AnyRoute> = (
  admin: Administration,
  input: Input<R>,
  request: OperatorRequest,
) => Promise<ResponseOf<R>>;

/** Mounts a route of the admin API. */
export type MountAdmin = <R extends AnyRoute>(route: R, handler: AdminHandler<R>) => void;

/**
 * Returns a function that mounts admin routes. A route does the same as the command on the machine; the audit
 * log names the operation of the API.
 */
export function adminMount(app: HttpApp, settings: AdministeredSettings): MountAdmin {
  return (route, handler) =>
    mountOperator(app, route, async (request, input) => {
      try {
        const admin = administration(byRequest(app, request, settings), request.principal.tokenId);
        return await handler(admin, input, request);
      } catch (error) {
        throw error instanceof OperatorError ? new ApiError(error.type, { message: error.message }) : error;
      }
    });
}

function byRequest(
  { recentTokens }: HttpApp,
  { db, auditEntry, afterCommit }: OperatorRequest,
  settings: AdministeredSettings,
): Administrator {
  return {
    read: (work) => work(db, settings),
    change: (_command, work, about) =>
      db.transaction((tx) =>
        asDatabase(tx, async (whole) => {
          const result = await work(whole, settings);
          await appendAuditEntry(whole.write, { ...auditEntry(), ...about(result) });
          // A principal whose rights were reduced loses them from this process's next request on.
          afterCommit(() => recentTokens.clear());
          return result;
        }),
      ),
  };
}

/** Returns the given id; paths contain no names. @throws errors.notFound for another kind of id. */
export function requireId(kind: IdKind, given: string): string {
  if (parseId(kind, given) === null) throw errors.notFound(kind.replaceAll("_", " "), given);
  return given;
}
