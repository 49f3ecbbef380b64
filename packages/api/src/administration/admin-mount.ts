import type { AnyRoute, IdKind, Input, ResponseOf } from "@berth/contract";
import { formatId, parseId } from "@berth/contract";
import { type Administrator, checkAdministered } from "@berth/store/access";
import { appendAuditEntry } from "@berth/store/audit";
import { asDatabase, type DatabaseAccess } from "@berth/store/db";
import { ApiError, errors, OperatorError } from "@berth/store/errors";
import type { DefaultLimits, RetentionDays } from "@berth/store/names";
import type { SecretBox } from "@berth/store/secrets";
import type { HttpApp } from "../http/http-app.ts";
import { type Contents, mountAdministration, mountAdministrationContent } from "../http/mount.ts";
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
  /** Seals the keys with which commits are signed. */
  secrets: SecretBox;
}

/** Subject of a change: the uuid of its organization, and ids in the form of the API. */
export interface Subject {
  organizationId: string | null;
  resources: string[];
}

/** A request of administration, as its handler sees it. */
export interface AdminRequest extends RequestScope<Administrator> {
  settings: AdministeredSettings;
  /**
   * Runs `work` in one transaction and writes its entry in the audit log.
   *
   * @param about returns the subject of the audit entry.
   */
  change<T>(work: (db: DatabaseAccess) => Promise<T>, about: (result: T) => Subject): Promise<T>;
}

type Answer<R extends AnyRoute, Body> = (request: AdminRequest, input: Input<R>) => Promise<Body>;

/** Mounts routes of the admin API. */
export interface MountAdmin {
  <R extends AnyRoute>(route: R, handler: Answer<R, ResponseOf<R>>): void;
  /** Mounts a route whose response is bytes. */
  content<R extends AnyRoute>(route: R, handler: Answer<R, Contents>): void;
}

/**
 * Returns the functions that mount admin routes. An admin's request is held to the admin's organization before
 * its handler sees it. `OperatorError`s of a handler become responses.
 */
export function adminMount(app: HttpApp, settings: AdministeredSettings): MountAdmin {
  const administered =
    <R extends AnyRoute, Body>(handler: Answer<R, Body>) =>
    async (scope: RequestScope<Administrator>, input: Input<R>): Promise<Body> => {
      const held = (await heldInput(scope, input as AdminInput)) as Input<R>;
      try {
        return await handler({ ...scope, settings, change: changeOf(app, scope) }, held);
      } catch (error) {
        throw error instanceof OperatorError ? new ApiError(error.type, { message: error.message }) : error;
      }
    };
  return Object.assign(
    <R extends AnyRoute>(route: R, handler: Answer<R, ResponseOf<R>>) =>
      mountAdministration(app, route, administered(handler)),
    {
      content: <R extends AnyRoute>(route: R, handler: Answer<R, Contents>) =>
        mountAdministrationContent(app, route, administered(handler)),
    },
  );
}

interface AdminInput {
  params: Readonly<Record<string, string>>;
  query: Readonly<Record<string, unknown>>;
  body?: unknown;
}

/**
 * Returns the input of a request that is held to what its caller administers: every id in it belongs to an
 * admin's organization, and an admin's lists are those of the organization, which each can be filtered by.
 *
 * @throws as `checkAdministered`
 */
async function heldInput(
  { principal, operation, db }: RequestScope<Administrator>,
  input: AdminInput,
): Promise<AdminInput> {
  if (principal.kind === "operator") return input;
  const { organization_id: asked } = input.query as { organization_id?: string };
  const filter = asked === undefined ? {} : { organization_id: asked };
  await checkAdministered(db.read, principal, { ...input.params, ...idsOf(input.body), ...filter });
  if (operation.responseKind === "object") return input;
  const organization_id = formatId("organization", principal.organizationId);
  return { ...input, query: { ...input.query, organization_id } };
}

/** Returns the fields of a body that hold ids. */
function idsOf(body: unknown): Record<string, string> {
  const fields = Object.entries((body ?? {}) as Record<string, unknown>);
  return Object.fromEntries(
    fields.filter(
      (field): field is [string, string] => field[0].endsWith("_id") && typeof field[1] === "string",
    ),
  );
}

function changeOf(
  { recentTokens }: HttpApp,
  { db, auditEntry, afterCommit }: RequestScope<Administrator>,
): AdminRequest["change"] {
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
