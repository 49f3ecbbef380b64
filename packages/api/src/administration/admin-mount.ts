import type { AnyRoute, IdKind, Input, ResponseOf } from "@berth/contract";
import { parseId } from "@berth/contract";
import type { Operator } from "@berth/store/access";
import { appendAuditEntry } from "@berth/store/audit";
import { asDatabase, type DatabaseAccess } from "@berth/store/db";
import { ApiError, errors, OperatorError } from "@berth/store/errors";
import type { DefaultLimits, RetentionDays } from "@berth/store/names";
import type { HttpApp } from "../http/http-app.ts";
import { mountOperator } from "../http/mount.ts";
import type { RequestScope } from "../request/request-scope.ts";

/** Settings of the installation that administration needs. */
export interface AdministeredSettings {
  /** Days after which old data is deleted, for organizations without values of their own. */
  retention: RetentionDays;
  /** Seconds within which a host must have been seen to count as online. */
  hostGraceSeconds: number;
  /** Limits for organizations and users without values of their own. */
  limits: DefaultLimits;
  /** Id of the host whose settings those of the other hosts are compared with. */
  hostId: string;
  /** The installation's key for hashing user codes. */
  userCodeKey: Uint8Array;
}

/** Subject of a change: the uuid of its organization, and ids in the form of the API. */
export interface Subject {
  organizationId: string | null;
  resources: string[];
}

/** A request of an operator, as its handler sees it. */
export interface OperatorRequest extends RequestScope<Operator> {
  settings: AdministeredSettings;
  /**
   * Runs `work` in one transaction and writes its entry in the audit log.
   *
   * @param about returns the subject of the audit entry.
   */
  change<T>(work: (db: DatabaseAccess) => Promise<T>, about: (result: T) => Subject): Promise<T>;
}

/** Mounts a route of the admin API. */
export type MountAdmin = <R extends AnyRoute>(
  route: R,
  handler: (request: OperatorRequest, input: Input<R>) => Promise<ResponseOf<R>>,
) => void;

/** Returns a function that mounts admin routes. `OperatorError`s of a handler become responses. */
export function adminMount(app: HttpApp, settings: AdministeredSettings): MountAdmin {
  return (route, handler) =>
    mountOperator(app, route, async (scope, input) => {
      try {
        return await handler({ ...scope, settings, change: changeOf(app, scope) }, input);
      } catch (error) {
        throw error instanceof OperatorError ? new ApiError(error.type, { message: error.message }) : error;
      }
    });
}

function changeOf(
  { recentTokens }: HttpApp,
  { db, auditEntry, afterCommit }: RequestScope<Operator>,
): OperatorRequest["change"] {
  return (work, about) =>
    db.transaction((tx) =>
      asDatabase(tx, async (whole) => {
        const result = await work(whole);
        await appendAuditEntry(whole.write, { ...auditEntry(), ...about(result) });
        // A principal whose rights were reduced loses them from this process's next request on.
        afterCommit(() => recentTokens.clear());
        return result;
      }),
    );
}

/** @param organization id in the form of the API; null when the change is not about one organization. */
export function subject(organization: string | null, ...resources: string[]): Subject {
  return {
    organizationId: organization === null ? null : parseId("organization", organization),
    resources,
  };
}

/** Returns the given id; paths contain no names. @throws errors.notFound for another kind of id. */
export function requireId(kind: IdKind, given: string): string {
  if (parseId(kind, given) === null) throw errors.notFound(kind.replaceAll("_", " "), given);
  return given;
}
