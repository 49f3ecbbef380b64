import { adminRoutes } from "@berth/contract";
import { listPage } from "../request/page.ts";
import { type MountAdmin, requireId } from "./by-request.ts";
import { selectOperatorTokens, toOperatorToken } from "./operator-token-store.ts";
import { selectOrganizations, toOrganization } from "./organization-store.ts";
import { selectServiceAccounts, toServiceAccount } from "./service-account-store.ts";
import { selectUsers, toUser } from "./user-store.ts";

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
  mount(organizations.create, (admin, { body }) => admin.organizations.create(body.name));
  mount(organizations.list, (_admin, input, request) =>
    listPage(request, input, "organization", toOrganization, (range) =>
      selectOrganizations(request.db.read, input.query, range),
    ),
  );
  mount(organizations.update, (admin, { params, body }) =>
    admin.organizations.rename(requireId("organization", params.organization_id), body.name),
  );
}

function mountUsers(mount: MountAdmin): void {
  mount(users.create, (admin, { body: { organization_id, ...user } }) =>
    admin.users.create({ ...user, organization: requireId("organization", organization_id) }),
  );
  mount(users.list, (_admin, input, request) =>
    listPage(request, input, "user", toUser, (range) => selectUsers(request.db.read, input.query, range)),
  );
  mount(users.update, (admin, { params, body }) =>
    admin.users.setRole(requireId("user", params.user_id), body.role),
  );
  for (const [route, disabled] of [
    [users.disable, true],
    [users.enable, false],
  ] as const)
    mount(route, (admin, { params }) => admin.users.setDisabled(requireId("user", params.user_id), disabled));
}

function mountServiceAccounts(mount: MountAdmin): void {
  mount(serviceAccounts.create, (admin, { body: { name, organization_id } }) =>
    admin.serviceAccounts.create({ name, organization: requireId("organization", organization_id) }),
  );
  mount(serviceAccounts.list, (_admin, input, request) =>
    listPage(request, input, "service_account", toServiceAccount, (range) =>
      selectServiceAccounts(request.db.read, input.query, range),
    ),
  );
  for (const [route, disabled] of [
    [serviceAccounts.disable, true],
    [serviceAccounts.enable, false],
  ] as const)
    mount(route, (admin, { params }) => {
      const id = requireId("service_account", params.service_account_id);
      return admin.serviceAccounts.setDisabled({ id }, disabled);
    });
}

function mountTokens(mount: MountAdmin): void {
  mount(tokens.create, (admin, { body: { user_id: user, service_account_id: account, ...terms } }) =>
    admin.tokens.create({
      name: terms.name,
      scopes: terms.scopes,
      expiresAt: terms.expires_at,
      ...(user !== undefined && { user: requireId("user", user) }),
      ...(account !== undefined && { serviceAccount: { id: requireId("service_account", account) } }),
    }),
  );
  mount(operatorTokens.create, (admin, { body }) =>
    admin.operatorTokens.create({ name: body.name, expiresAt: body.expires_at }),
  );
  mount(operatorTokens.list, (_admin, input, request) =>
    listPage(request, input, "operator_token", toOperatorToken, (range) =>
      selectOperatorTokens(request.db.read, range),
    ),
  );
  mount(operatorTokens.delete, (admin, { params }) => admin.operatorTokens.revoke(params.operator_token_id));
}
