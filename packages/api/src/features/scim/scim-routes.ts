import { formatId } from "@berth/contract";
import { errors } from "@berth/store/errors";
import type { HttpApp } from "../../http/http-app.ts";
import { resourceTypes, schemas, serviceProviderConfig } from "./discovery.ts";
import {
  type ChangedGroup,
  createGroup,
  deleteGroup,
  patchGroup,
  replaceGroup,
  requireGroup,
} from "./groups/change-groups.ts";
import { toGroupResource } from "./groups/group-resource.ts";
import { type GroupRow, membersOf, selectGroups } from "./groups/group-store.ts";
import { GROUP, USER } from "./protocol/attributes.ts";
import type { Resource } from "./protocol/evaluate-filter.ts";
import { listResponse, readListQuery, readProjection } from "./protocol/list-query.ts";
import { type Projection, project, shows } from "./protocol/project.ts";
import { mountScimRoutes, type ScimRequest, type ScimResponse, type ScimRoute } from "./serve-scim.ts";
import { createUser, deleteUser, patchUser, replaceUser, requireUser } from "./users/change-users.ts";
import { toUserResource } from "./users/user-resource.ts";
import { groupsOfUsers, selectUsers, type UserRow } from "./users/user-store.ts";

/** Mounts SCIM 2.0 (RFC 7643 and 7644), by which an identity provider manages the users of one organization. */
export function mountScim(app: HttpApp): void {
  mountScimRoutes(app, [...DISCOVERY, ...USERS, ...GROUPS]);
}

const DISCOVERY: readonly ScimRoute[] = [
  {
    method: "GET",
    url: "/ServiceProviderConfig",
    name: "scim.config",
    handle: async ({ base }) => ok(serviceProviderConfig(base)),
  },
  ...described("/ResourceTypes", "scim.resource_types", resourceTypes),
  ...described("/Schemas", "scim.schemas", schemas),
];

/** Returns the routes of a list that is the same for all, and of its items. */
function described(url: string, name: string, all: (base: string) => { id: string }[]): ScimRoute[] {
  return [
    {
      method: "GET",
      url,
      name,
      handle: async ({ base }) => {
        const resources = all(base);
        return ok(listResponse({ total: resources.length, resources }));
      },
    },
    {
      method: "GET",
      url: `${url}/:id`,
      name,
      handle: async ({ base, id }) => {
        const found = all(base).find((one) => one.id.toLowerCase() === id.toLowerCase());
        if (found === undefined) throw errors.notFound(url.slice(1, -1), id);
        return ok(found);
      },
    },
  ];
}

const USERS: readonly ScimRoute[] = [
  { method: "GET", url: "/Users", name: "scim.users.list", handle: listUsers },
  {
    method: "GET",
    url: "/Users/:id",
    name: "scim.users.get",
    handle: async (request) =>
      await showUser(request, await requireUser(request.db.read, request.organizationId, request.id)),
  },
  {
    method: "POST",
    url: "/Users",
    name: "scim.users.create",
    handle: async (request) =>
      await showUser(request, await createUser(request.db.write, request.organizationId, request.body), 201),
  },
  {
    method: "PUT",
    url: "/Users/:id",
    name: "scim.users.replace",
    handle: async (request) => {
      const { db, organizationId, id, body } = request;
      return await showUser(request, await replaceUser(db.write, organizationId, id, body));
    },
  },
  {
    method: "PATCH",
    url: "/Users/:id",
    name: "scim.users.patch",
    handle: async (request) => {
      const { db, organizationId, id, body } = request;
      return await showUser(request, await patchUser(db.write, organizationId, id, body));
    },
  },
  {
    method: "DELETE",
    url: "/Users/:id",
    name: "scim.users.delete",
    handle: async ({ db, organizationId, id }) => {
      await deleteUser(db.write, organizationId, id);
      return { status: 204 };
    },
  },
];

async function listUsers({ db, organizationId, base, query }: ScimRequest): Promise<ScimResponse> {
  const asked = readListQuery(query, USER);
  const { total, rows } = await selectUsers(db.read, organizationId, asked);
  const groups = shows(asked.projection, "groups")
    ? await groupsOfUsers(
        db.read,
        rows.map(({ id }) => id),
      )
    : [];
  const resources = rows.map((row) => project(toUserResource(row, base, groups), asked.projection, USER));
  return ok(listResponse({ total, resources }, asked.startIndex));
}

async function showUser(
  { db, base, query }: ScimRequest,
  row: UserRow,
  status: 200 | 201 = 200,
): Promise<ScimResponse> {
  const groups = await groupsOfUsers(db.write, [row.id]);
  const resource = toUserResource(row, base, groups);
  const body = project(resource, readProjection(query, USER), USER);
  return { status, body, ...(status === 201 && createdAs(resource)) };
}

const GROUPS: readonly ScimRoute[] = [
  { method: "GET", url: "/Groups", name: "scim.groups.list", handle: listGroups },
  {
    method: "GET",
    url: "/Groups/:id",
    name: "scim.groups.get",
    handle: async (request) =>
      await showGroup(request, await requireGroup(request.db.read, request.organizationId, request.id)),
  },
  {
    method: "POST",
    url: "/Groups",
    name: "scim.groups.create",
    handle: async (request) =>
      await showChanged(
        request,
        await createGroup(request.db.write, request.organizationId, request.body),
        201,
      ),
  },
  {
    method: "PUT",
    url: "/Groups/:id",
    name: "scim.groups.replace",
    handle: async (request) => {
      const { db, organizationId, id, body } = request;
      return await showChanged(request, await replaceGroup(db.write, organizationId, id, body));
    },
  },
  {
    method: "PATCH",
    url: "/Groups/:id",
    name: "scim.groups.patch",
    handle: async (request) => {
      const { db, organizationId, id, body, query } = request;
      const group = await patchGroup(db.write, organizationId, id, body);
      // A response with all members would cost more than the change of one.
      if (readProjection(query, GROUP).only === null) return { status: 204, ...roleChanges(group.roles) };
      return await showChanged(request, group);
    },
  },
  {
    method: "DELETE",
    url: "/Groups/:id",
    name: "scim.groups.delete",
    handle: async ({ db, organizationId, id }) => {
      const roles = await deleteGroup(db.write, organizationId, id);
      return { status: 204, ...roleChanges(roles) };
    },
  },
];

async function listGroups({ db, organizationId, base, query }: ScimRequest): Promise<ScimResponse> {
  const asked = readListQuery(query, GROUP);
  const withMembers = shows(asked.projection, "members");
  const { total, rows } = await selectGroups(db.read, organizationId, asked, withMembers);
  const all = withMembers
    ? await membersOf(
        db.read,
        rows.map(({ id }) => id),
      )
    : [];
  const members = Map.groupBy(all, ({ group_id }) => group_id);
  const resources = rows.map((row) =>
    project(toGroupResource(row, base, members.get(row.id) ?? []), asked.projection, GROUP),
  );
  return ok(listResponse({ total, resources }, asked.startIndex));
}

async function showChanged(
  request: ScimRequest,
  { row, roles }: ChangedGroup,
  status: 200 | 201 = 200,
): Promise<ScimResponse> {
  return { ...(await showGroup(request, row, status)), ...roleChanges(roles) };
}

function roleChanges(roles: readonly string[]): Pick<ScimResponse, "alsoChanged"> {
  return { alsoChanged: roles.map((id) => formatId("user", id)) };
}

async function showGroup(
  { db, base, query }: ScimRequest,
  row: GroupRow,
  status: 200 | 201 = 200,
): Promise<ScimResponse> {
  const projection: Projection = readProjection(query, GROUP);
  const members = shows(projection, "members") ? await membersOf(db.write, [row.id]) : [];
  const resource = toGroupResource(row, base, members);
  const body = project(resource, projection, GROUP);
  return { status, body, ...(status === 201 && createdAs(resource)) };
}

function createdAs(resource: Resource): Pick<ScimResponse, "id" | "location"> {
  const { id, meta } = resource as { id: string; meta: { location: string } };
  return { id, location: meta.location };
}

function ok(body: object): ScimResponse {
  return { status: 200, body };
}
