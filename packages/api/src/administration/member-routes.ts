import { adminRoutes, type ServiceAccount, type User } from "@berth/contract";
import { listPage } from "../request/page.ts";
import { type MountAdmin, requireId, type Subject, subject } from "./admin-mount.ts";
import { selectHeldTokens, toHeldToken } from "./held-token-store.ts";
import { selectOperatorTokens, toOperatorToken } from "./operator-token-store.ts";
import { createOperatorToken, revokeOperatorTokens } from "./operator-tokens.ts";
import {
  createOrganization,
  selectOrganizations,
  toOrganization,
  updateOrganization,
} from "./organization-store.ts";
import {
  createServiceAccount,
  selectServiceAccounts,
  setServiceAccountDisabled,
  toServiceAccount,
} from "./service-account-store.ts";
import { createTokenOf, revokeTokenOf } from "./tokens.ts";
import { checkMayLose, createUser, selectUsers, setRole, setUserDisabled, toUser } from "./user-store.ts";

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
      (db) => createOrganization(db.write, body),
      ({ id }) => subject(id, id),
    ),
  );
  mount(organizations.list, (request, input) =>
    listPage(request, input, "organization", toOrganization, (range) =>
      selectOrganizations(request.db.read, input.query, range),
    ),
  );
  mount(organizations.update, ({ change, settings }, { params, body }) =>
    change(
      (db) =>
        updateOrganization(
          db.write,
          requireId("organization", params.organization_id),
          body,
          settings.secrets,
        ),
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
  mount(users.update, ({ change, principal }, { params, body: { role } }) =>
    change(async ({ write: tx }) => {
      const id = requireId("user", params.user_id);
      if (role !== "admin") await checkMayLose(tx, principal, id);
      return await setRole(tx, id, role);
    }, subjectOf),
  );
  for (const [route, disabled] of [
    [users.disable, true],
    [users.enable, false],
  ] as const)
    mount(route, ({ change, principal }, { params }) =>
      change(async ({ write: tx }) => {
        const id = requireId("user", params.user_id);
        if (disabled) await checkMayLose(tx, principal, id);
        return await setUserDisabled(tx, id, disabled);
      }, subjectOf),
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
    async ({ change, principal }, { body: { user_id: user, service_account_id: account, ...terms } }) => {
      const bearer = {
        ...(user !== undefined && { user: requireId("user", user) }),
        ...(account !== undefined && { serviceAccount: requireId("service_account", account) }),
      };
      const { token } = await change(
        (db) => createTokenOf(db.write, { ...terms, ...bearer, expiresAt: terms.expires_at }, principal),
        (created) => subject(created.organization, created.token.id, created.bearer),
      );
      return token;
    },
  );
  mount(tokens.list, (request, input) =>
    listPage(request, input, "token", toHeldToken, (range) =>
      selectHeldTokens(request.db.read, input.query, range),
    ),
  );
  mount(tokens.delete, ({ change }, { params }) =>
    change(
      async ({ write: tx }) => await revokeTokenOf(tx, params.token_id),
      ({ organization, deleted }) => subject(organization, deleted.id, ...deleted.revoked_descendants),
    ).then(({ deleted }) => deleted),
  );
  mountOperatorTokens(mount);
}

function mountOperatorTokens(mount: MountAdmin): void {
  mount(operatorTokens.create, ({ change, principal }, { body: { name, expires_at: expiresAt } }) =>
    change(
      (db) => createOperatorToken(db.write, { name, expiresAt }, principal.tokenId),
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
