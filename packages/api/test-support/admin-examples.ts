import { formatId, newUuid } from "@berth/contract";
import type { Queryable } from "@berth/store/db";
import { seed, seedSession } from "@berth/store/test-support/runs";
import type { Caller, Part, Wire } from "./http.ts";

/** A request that succeeds: the values of the path's parameters in order, and its body or form. */
export interface Example {
  ids?: readonly string[];
  body?: unknown;
  form?: readonly Part[];
}

export type MakeExample = (owner: Caller) => Example | Promise<Example>;

const ADMIN = "/api/v1/admin";
const HOST = "0123456789abcdef";

/** Uuid of the examples' session, in an organization of its own. */
const SESSION = newUuid();

/** Stores the examples' host, which was seen long ago, and their session. */
export async function addHost(db: Queryable): Promise<void> {
  const { rows } = await db.query({ text: "select from sessions where id = $1", values: [SESSION] });
  if (rows.length === 0) await seedSession(db, await seed(db), { id: SESSION });
  await db.query({
    text: `insert into hosts (id, place, version, settings, capacity, name, role, seen_at)
      values ($1, 'local:' || $1, '0.1.0', '{}', 4, 'machine', 'all', now() - interval '1 hour')
      on conflict (id) do update set draining = false`,
    values: [HOST],
  });
}

/** Examples by admin operation that changes something. Those of hosts and sessions need `addHost`. */
export const adminExamples: Readonly<Record<string, MakeExample>> = {
  "adminOrganizations.create": () => ({ body: { name: newUuid() } }),
  "adminOrganizations.update": async (operator) => ({
    ids: [(await anOrganization(operator)).id],
    body: { name: newUuid() },
  }),

  "adminUsers.create": async (operator) => ({ body: await userFields(operator) }),
  "adminUsers.update": async (operator) => ({ ids: [(await aUser(operator)).id], body: { role: "admin" } }),
  "adminUsers.disable": async (operator) => ({ ids: [(await aUser(operator)).id] }),
  "adminUsers.enable": async (operator) => ({ ids: [(await aUser(operator)).id] }),

  "adminServiceAccounts.create": async (operator) => ({
    body: { name: "ci", organization_id: (await anOrganization(operator)).id },
  }),
  "adminServiceAccounts.disable": aServiceAccount,
  "adminServiceAccounts.enable": aServiceAccount,

  "adminTokens.create": async (operator) => ({ body: { user_id: (await aUser(operator)).id } }),
  "adminTokens.delete": async (operator) => ({
    ids: [(await operator.made(`${ADMIN}/tokens`, { user_id: (await aUser(operator)).id })).id],
  }),
  "adminOperatorTokens.create": () => ({ body: { name: "another" } }),
  "adminOperatorTokens.delete": async (operator) => ({
    ids: [(await operator.made(`${ADMIN}/operator_tokens`, { name: "another" })).id],
  }),

  "adminLimits.update": async (operator) => ({
    ids: [(await aUser(operator)).id],
    body: { open_sessions: 5 },
  }),
  "adminRetention.update": async (operator) => ({
    ids: [(await anOrganization(operator)).id],
    body: { files: 5 },
  }),

  "adminErasures.create": async (operator) => ({ body: { user_id: (await aUser(operator)).id } }),

  "adminDeviceAuthorizations.lookup": async (operator) => ({ body: await aCode(operator) }),
  "adminDeviceAuthorizations.approve": async (operator) => ({
    body: { ...(await aCode(operator)), user_id: (await aUser(operator)).id },
  }),
  "adminDeviceAuthorizations.deny": async (operator) => ({ body: await aCode(operator) }),

  "adminSessions.release": () => ({ ids: [formatId("session", SESSION)] }),
  "adminHosts.drain": () => ({ ids: [HOST] }),
  "adminHosts.resume": () => ({ ids: [HOST] }),
  "adminHosts.forget": () => ({ ids: [HOST], body: {} }),
};

function anOrganization(operator: Caller): Promise<Wire> {
  return operator.made(`${ADMIN}/organizations`, { name: newUuid() });
}

async function userFields(operator: Caller) {
  return { email: `${newUuid()}@example.com`, organization_id: (await anOrganization(operator)).id };
}

async function aUser(operator: Caller): Promise<Wire> {
  return await operator.made(`${ADMIN}/users`, await userFields(operator));
}

async function aServiceAccount(operator: Caller): Promise<Example> {
  const account = { name: "ci", organization_id: (await anOrganization(operator)).id };
  return { ids: [(await operator.made(`${ADMIN}/service_accounts`, account)).id] };
}

async function aCode(operator: Caller): Promise<{ user_code: string }> {
  const { user_code } = await operator.made("/device_authorizations", {});
  return { user_code };
}
