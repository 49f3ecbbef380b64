import { adminRoutes, type ServiceAccount, type User } from "@berth/contract";
import { listPage } from "../request/page.ts";
import { type MountAdmin, requireId, type Subject, subject } from "./admin-mount.ts";
import { selectOperatorTokens, toOperatorToken } from "./operator-token-store.ts";
import { createOperatorToken, revokeOperatorTokens } from "./operator-tokens.ts";
import {
  createOrganization,
  renameOrganization,
  selectOrganizations,
  toOrganization,
} from "./organization-store.ts";
import {
  createServiceAccount,
  selectServiceAccounts,
  setServiceAccountDisabled,
  toServiceAccount,
} from "./service-account-store.ts";
import { createTokenOf } from "./tokens.ts";
import { createUser, selectUsers, setRole, setUserDisabled, toUser } from "./user-store.ts";

const {
  adminOrganizations: organizations,
  adminUsers: users,
  adminServiceAccounts: serviceAccounts,
  adminTokens: tokens,
  adminOperatorTokens: operatorTokens,
} = adminRoutes;

/** Mounts the routes for organizations, their members, and tokens. */
export function mountMembers(mount: MountAdmin): void {
  mountOrganizations(mount);
  mountUsers(mount);
  mountServiceAccounts(mount);
  mountTokens(mount);
}

function mountOrganizations(mount: MountAdmin): void {
  mount(organizations.create, ({ change }, { body }) =>
    change(
      (db) => createOrganization(db.write, body.name),
      ({ id }) => subject(id, id),
    ),
  );
  mount(organizations.list, (request, input) =>
    listPage(request, input, "organization", toOrganization, (range) =>
      selectOrganizations(request.db.read, input.query, range),
    ),
  );
  mount(organizations.update, ({ change }, { params, body }) =>
    change(
      (db) => renameOrganization(db.write, requireId("organization", params.organization_id), body.name),
      ({ id }) => subject(id, id),
    ),
  );
}

function mountUsers(mount: MountAdmin): void {
  mount(users.create, ({ change }, { body }) =>
    change((db) => {
      requireId("organization", body.organization_id);
      return createUser(db.write, body);
    }, subjectOf),
  );
  mount(users.list, (request, input) =>
    listPage(request, input, "user", toUser, (range) => selectUsers(request.db.read, input.query, range)),
  );
  mount(users.update, ({ change }, { params, body }) =>
    change((db) => setRole(db.write, requireId("user", params.user_id), body.role), subjectOf),
  );
  for (const [route, disabled] of [
    [users.disable, true],
    [users.enable, false],
  ] as const)
    mount(route, ({ change }, { params }) =>
      change((db) => setUserDisabled(db.write, requireId("user", params.user_id), disabled), subjectOf),
    );
}

function mountServiceAccounts(mount: MountAdmin): void {
  mount(serviceAccounts.create, ({ change }, { body }) =>
    change((db) => {
      requireId("organization", body.organization_id);
      return createServiceAccount(db.write, body);
    }, subjectOf),
  );
  mount(serviceAccounts.list, (request, input) =>
    listPage(request, input, "service_account", toServiceAccount, (range) =>
      selectServiceAccounts(request.db.read, input.query, range),
    ),
  );
  for (const [route, disabled] of [
    [serviceAccounts.disable, true],
    [serviceAccounts.enable, false],
  ] as const)
    mount(route, ({ change }, { params }) =>
      change((db) => {
        const id = requireId("service_account", params.service_account_id);
        return setServiceAccountDisabled(db.write, id, disabled);
      }, subjectOf),
    );
}

function mountTokens(mount: MountAdmin): void {
  mount(
    tokens.create,
    async ({ change }, { body: { user_id: user, service_account_id: account, ...terms } }) => {
      const bearer = {
        ...(user !== undefined && { user: requireId("user", user) }),
        ...(account !== undefined && { serviceAccount: requireId("service_account", account) }),
      };
      const { token } = await change(
        (db) => createTokenOf(db.write, { ...terms, ...bearer, expiresAt: terms.expires_at }),
        (created) => subject(created.organization, created.token.id),
      );
      return token;
    },
  );
  mount(operatorTokens.create, ({ change, principal }, { body }) =>
    change(
      (db) =>
        createOperatorToken(db.write, { name: body.name, expiresAt: body.expires_at }, principal.tokenId),
      ({ id }) => subject(null, id),
    ),
  );
  mount(operatorTokens.list, (request, input) =>
    listPage(request, input, "operator_token", toOperatorToken, (range) =>
      selectOperatorTokens(request.db.read, range),
    ),
  );
  mount(operatorTokens.delete, ({ change }, { params }) =>
    change(
      (db) => revokeOperatorTokens(db.write, params.operator_token_id),
      ({ id, revoked_descendants }) => subject(null, id, ...revoked_descendants),
    ),
  );
}

function subjectOf({ id, organization_id: organization }: User | ServiceAccount): Subject {
  return subject(organization, id);
}
