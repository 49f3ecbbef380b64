// Subject: the plans of every list, for its statements as prepared and run on the reading connections.
import assert from "node:assert/strict";
import { test } from "node:test";
import { formatId, type IdKind, routes } from "@berth/contract";
import { type TestDatabase, testServers } from "@berth/store/test-support/database";
import type { Statement } from "@berth/store/test-support/internals/db";
import pg from "pg";
import { fillLists, ROWS, uuidOfRow } from "../../test-support/filled-lists.ts";
import { type Caller, testApp } from "../../test-support/http.ts";

/**
 * Maximum rows that a plan may handle, counted at each of its steps, and blocks that it may read. A page has 20
 * rows. A member's is put together from up to seven index ranges, one of two outcomes with archived sessions
 * from 13. A scan of what an owner has, or shares, handles half of `ROWS` or more.
 */
const MOST_ROWS = 1_000;
const MOST_BLOCKS = 600;

const first = (kind: IdKind) => formatId(kind, uuidOfRow(1));
const middle = (kind: IdKind) => formatId(kind, uuidOfRow(ROWS / 2));
const CREATED = ["gt", "gte", "lt", "lte"].map((bound) => `created_at[${bound}]=2017-07-14T02:40:05.000Z`);
/**
 * Lists that are not ordered by creation time, so that such a bound reads on until it fills a page: at most
 * the versions of one agent, or the log of one session.
 */
const ORDERED_OTHERWISE = ["agents.versions", "events.list"];
const SHARED = "shared_with_me=true";
const RUNS = [
  "has_error=true",
  "has_error=false",
  "trigger_type=manual",
  "has_error=true&trigger_type=manual",
];
const ARCHIVED = ["include_archived=true", SHARED];

/** Filters without an index, which search the rows of the other filters, so that creates stay cheap. */
const SOUGHT = ["sessions.list: title"];

/**
 * Lists, with the kind of their anchors, and queries that use each filter. `onward` queries have more pages,
 * but no anchors.
 */
const LISTS: Record<string, { anchor?: IdKind; queries?: readonly string[]; onward?: readonly string[] }> = {
  "tokens.list": { anchor: "token" },
  "agents.list": { anchor: "agent", queries: ARCHIVED },
  "agents.versions": {},
  "models.list": {},
  "environments.list": { anchor: "environment", queries: ARCHIVED },
  "sessions.list": {
    anchor: "session",
    queries: [
      ...ARCHIVED,
      `agent_id=${first("agent")}`,
      `environment_id=${first("environment")}`,
      `deployment_id=${first("deployment")}`,
      `include_archived=true&deployment_id=${first("deployment")}`,
      "statuses[]=idle&statuses[]=running",
      `include_archived=true&agent_id=${first("agent")}`,
      `include_archived=true&environment_id=${first("environment")}`,
      `include_archived=true&memory_store_id=${first("memory_store")}`,
      `memory_store_id=${formatId("memory_store", uuidOfRow(2))}&agent_id=${first("agent")}&statuses[]=running`,
      "include_archived=true&statuses[]=idle&statuses[]=running",
      "include_archived=true&statuses[]=running&statuses[]=rescheduling",
      "statuses[]=terminated",
      `owner_id=${first("user")}`,
      `owner_id=${first("user")}&include_archived=true&statuses[]=idle`,
      `${SHARED}&include_archived=true&statuses[]=idle`,
      `${SHARED}&outcomes[]=refusal`,
      `${SHARED}&agent_id=${first("agent")}`,
      "requires_action=true",
      "requires_action=true&include_archived=true",
      "outcomes[]=refusal",
      "include_archived=true&outcomes[]=refusal&outcomes[]=none",
      "repository_failed=true",
      "repository_failed=true&include_archived=true",
      "set_aside=true",
      "set_aside=true&include_archived=true",
      "mine=true",
      "mine=true&include_archived=true",
      "mine=true&include_archived=true&statuses[]=running",
      "mine=true&include_archived=true&outcomes[]=refusal",
      "mine=true&include_archived=true&requires_action=true",
      "mine=true&include_archived=true&repository_failed=true",
      "unseen=true",
      "unseen=true&include_archived=true",
      "unseen=true&include_archived=true&outcomes[]=end_turn",
      "unseen=true&include_archived=true&statuses[]=running",
    ],
    onward: [
      `sort=updated_at&${SHARED}`,
      "sort=updated_at&search=word",
      `sort=updated_at&include_archived=true&outcomes[]=refusal&${SHARED}`,
      "sort=updated_at",
      "sort=updated_at&include_archived=true",
      `sort=updated_at&include_archived=true&owner_id=${first("user")}`,
      "sort=updated_at&include_archived=true&updated_at[gte]=2026-01-01T01:00:00Z&updated_at[lt]=2026-01-01T02:00:00Z",
      "sort=updated_at&include_archived=true&outcomes[]=refusal",
      "sort=updated_at&outcomes[]=refusal&outcomes[]=none",
      "sort=updated_at&repository_failed=true",
      "sort=updated_at&repository_failed=true&include_archived=true",
      "sort=updated_at&set_aside=true",
      "sort=updated_at&set_aside=true&include_archived=true",
      "sort=updated_at&mine=true",
      "sort=updated_at&mine=true&include_archived=true",
      "sort=updated_at&mine=true&include_archived=true&statuses[]=running&statuses[]=rescheduling",
      "sort=updated_at&mine=true&include_archived=true&outcomes[]=refusal&outcomes[]=requires_action",
      "sort=updated_at&mine=true&include_archived=true&repository_failed=true",
      `sort=updated_at&mine=true&include_archived=true&owner_id=${first("user")}`,
      "sort=updated_at&unseen=true",
      "sort=updated_at&unseen=true&include_archived=true",
      "sort=updated_at&unseen=true&include_archived=true&outcomes[]=end_turn",
      "sort=updated_at&unseen=true&include_archived=true&outcomes[]=end_turn&outcomes[]=max_turns",
    ],
  },
  "sessionResources.list": { anchor: "session_resource" },
  "previews.list": { anchor: "preview" },
  "confirmationRules.list": { anchor: "confirmation_rule" },
  "events.list": {
    anchor: "event",
    queries: ["order=asc", "order=desc", "types[]=user.message", "order=desc&types[]=user.message"],
  },
  "files.list": {
    anchor: "file",
    queries: [SHARED, `scope_id=${first("session")}`, `ids[]=${first("file")}&ids[]=${middle("file")}`],
  },
  "vaults.list": { anchor: "vault", queries: ARCHIVED },
  "vaultCredentials.list": { anchor: "vault_credential", queries: ["include_archived=true"] },
  "connections.list": { anchor: "connection" },
  "webhooks.list": { anchor: "webhook" },
  "webhooks.deliveries": {
    anchor: "webhook_delivery",
    queries: ["status=failed", "event_type=vault.deleted", "status=delivered&event_type=vault.created"],
  },
  "deployments.list": { anchor: "deployment", queries: ARCHIVED },
  "deployments.runs": { anchor: "deployment_run", queries: RUNS },
  "deploymentRuns.list": {
    anchor: "deployment_run",
    queries: [
      ...RUNS,
      `deployment_id=${first("deployment")}`,
      `deployment_id=${first("deployment")}&has_error=true`,
    ],
  },
  "deploymentTriggers.list": { anchor: "trigger" },
  "deploymentTriggers.deliveries": { anchor: "trigger_delivery", queries: ["status=failed"] },
  "memoryStores.list": { anchor: "memory_store", queries: ARCHIVED },
  "memories.list": { anchor: "memory", queries: ["path_prefix=/m/"] },
  "memoryVersions.list": {
    anchor: "memory_version",
    queries: [`memory_id=${first("memory")}`, `session_id=${first("session")}`, "operation=modified"],
  },
  "skills.list": { anchor: "skill", queries: ARCHIVED },
  "skills.versions": { anchor: "skill_version" },
  "forward.list": { anchor: "environment", queries: ["type=environment"] },
  "adminOrganizations.list": {
    anchor: "organization",
    queries: ["name=o5", `organization_id=${middle("organization")}`],
  },
  "adminUsers.list": {
    anchor: "user",
    queries: [
      `organization_id=${first("organization")}`,
      "email=u5",
      `organization_id=${first("organization")}&email=u5`,
    ],
  },
  "adminServiceAccounts.list": {
    anchor: "service_account",
    queries: [
      `organization_id=${first("organization")}`,
      "name=s5",
      `organization_id=${first("organization")}&name=s5`,
    ],
  },
  "adminTokens.list": {
    anchor: "token",
    queries: [
      `organization_id=${first("organization")}`,
      `user_id=${first("user")}`,
      `organization_id=${first("organization")}&user_id=${first("user")}`,
    ],
  },
  "adminOperatorTokens.list": { anchor: "operator_token" },
};

for (const server of testServers) {
  test(`lists on ${server.label}: the cost depends on the page alone, with and without statistics`, async (t) => {
    const { db, caller, operator } = await testApp(t, {}, { server, readers: 1 });
    const colleague = await caller({ email: "colleague@example.com" });
    const callers = [await caller(), await caller({ email: "admin@example.com", role: "admin" }), colleague];
    const { rows } = await db.read.query<{ id: string; organization_id: string }>({
      text: "select * from users where email = 'owner@example.com'",
    });
    await fillLists(db.write, rows[0]?.organization_id ?? "", rows[0]?.id ?? "");
    await shareWith(db.write, "colleague@example.com");
    await invite(db.write, "colleague@example.com");
    const asOperator = [await operator()];
    const { mock } = t.mock.method(db.read, "query");
    const ask = async (who: Caller, path: string): Promise<Statement[]> => {
      mock.resetCalls();
      const reply = await who.get(path);
      assert.equal(reply.status, 200, reply.text);
      if (path.includes("sort=") && reply.body.has_more) {
        const next = await who.get(`${path}&page=${reply.body.next_page}`);
        assert.equal(next.status, 200, next.text);
      }
      return mock.calls.map(({ arguments: [statement] }) => statement);
    };
    for (const statistics of ["no statistics", "statistics"]) {
      if (statistics === "statistics") await db.write.query({ text: "analyze" });
      for (const [list, path] of requests()) {
        const theirs = list === "forward.list" ? callers.slice(0, 1) : callers;
        for (const who of list.startsWith("admin") ? asOperator : theirs) {
          // Of the objects of their owners, this filter leaves out many.
          if (path.includes(SHARED) && who !== colleague) continue;
          for (const statement of await ask(who, path)) {
            const { rows, blocks, plan } = await cost(db, statement);
            const seen = `${rows} rows and ${blocks} blocks for ${path} with ${statistics}`;
            assert.ok(rows <= MOST_ROWS && blocks <= MOST_BLOCKS, `${seen}\n${statement.text}\n${plan}`);
          }
        }
      }
    }
    const text =
      "select sum(custom_plans)::integer as custom from pg_prepared_statements where name like 'list_%'";
    assert.deepEqual((await db.read.query({ text })).rows, [{ custom: 0 }], "no page is planned again");
  });
}

const SHAREABLE = {
  agents: "agent",
  environments: "environment",
  sessions: "session",
  files: "file",
  vaults: "vault",
  memory_stores: "memory_store",
  skills: "skill",
  deployments: "deployment",
} as const satisfies Record<string, IdKind>;

/** Shares 30 of the private objects of each kind with a user, and the first vault for writing. */
async function shareWith(db: TestDatabase["write"], email: string): Promise<void> {
  for (const [at, [table, kind]] of Object.entries(SHAREABLE).entries()) {
    // Rows of different tables have the same ids here, and a share needs another one each time.
    const ids = Array.from({ length: 30 }, (_, index) => uuidOfRow(2 + 60 * at + 2 * index));
    const access = ids.map(() => "read");
    if (kind === "vault") {
      ids.push(uuidOfRow(1));
      access.push("write");
    }
    await db.query({
      text: `insert into shares (object_id, kind, user_id, access)
        select object.id, $1, users.id, object.access
        from users, unnest($3::uuid[], $4::text[]) as object (id, access) join ${table} using (id) where email = $2`,
      values: [kind, email, ids, access],
    });
  }
}

/** Puts as many sessions of others on a user's desk as it takes, half of them unseen. */
async function invite(db: TestDatabase["write"], email: string): Promise<void> {
  await db.query({
    text: `insert into session_guests (user_id, session_id)
      select users.id, sessions.id from users, sessions where email = $1 order by sessions.id desc limit 70`,
    values: [email],
  });
  await db.query({
    text: `update sessions set unseen_by = unseen_by || user_id from session_guests join users on users.id = user_id
      where session_guests.session_id = sessions.id and email = $1 and session_id::text ~ '[0-7]$'`,
    values: [email],
  });
}

test("each filter of each list is among the queries above", () => {
  const unused = lists().flatMap(({ operation, query }) => {
    const {
      anchor,
      queries = [],
      onward = [],
    } = LISTS[operation.id] ?? assert.fail(`${operation.id} is missing`);
    const given = ["limit", "page", ...CREATED, ...queries, ...onward].join("&").split("&");
    const names = new Set(given.map((pair) => pair.split("=")[0]));
    if (anchor !== undefined) for (const name of ["before_id", "after_id"]) names.add(name);
    return namesOf(query).flatMap((name) => (names.has(name) ? [] : [`${operation.id}: ${name}`]));
  });
  assert.deepEqual(unused, SOUGHT);
});

/**
 * Lists whose cost is not limited: sandbox directories and lists of git hosts are not tables, hosts are few, every version of a
 * runtime is in its one entry, few search the audit log, which is read in its order, and a receipt of an erasure counts what is
 * left of its subject.
 */
const NOT_BOUNDED = [
  "workspace.list",
  "runtimes.list",
  "connections.repositories",
  "connections.branches",
  "adminHosts.list",
  "adminAuditEntries.list",
  "adminErasures.list",
];

function lists() {
  return Object.values(routes)
    .flatMap((noun) => Object.values(noun))
    .filter(({ operation: { id, responseKind } }) => responseKind === "page" && !NOT_BOUNDED.includes(id));
}

interface Schema {
  shape?: Record<string, unknown>;
  def?: { in?: Schema; innerType?: Schema };
}

/** Returns the names of a query's parameters, below refinements. */
function namesOf(query: unknown): string[] {
  const schema = query as Schema;
  if (schema.shape !== undefined) return Object.keys(schema.shape);
  const inner = schema.def?.in ?? schema.def?.innerType;
  return inner === undefined ? [] : namesOf(inner);
}

/** Returns requests for every list: its start, the middle in both directions, and each filter. */
function requests(): (readonly [list: string, path: string])[] {
  return lists().flatMap(({ operation, query }) => {
    const { anchor, queries = [], onward = [] } = LISTS[operation.id] ?? {};
    const path = operation.path
      .replace("/api/v1/cloud", "")
      .replaceAll(/\{(\w+)_id\}/g, (_match: string, kind: IdKind) => first(kind));
    const names = namesOf(query);
    const bounded = names.includes("created_at[gt]") && !ORDERED_OTHERWISE.includes(operation.id);
    const plain = names.includes("type") ? queries : ["", ...(bounded ? CREATED : []), ...queries];
    const anchors =
      anchor === undefined ? [""] : ["", `&after_id=${middle(anchor)}`, `&before_id=${middle(anchor)}`];
    const anchored = plain.flatMap((given) => anchors.map((at) => `${path}?${given}${at}`));
    return [...anchored, ...onward.map((given) => `${path}?${given}`)].map(
      (one) => [operation.id, one] as const,
    );
  });
}

interface Plan {
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  "Rows Removed by Index Recheck"?: number;
  "Shared Hit Blocks": number;
  "Shared Read Blocks": number;
  Plans?: Plan[];
}

/** Returns the rows and blocks that the statement's prepared plan handles. */
async function cost(db: TestDatabase, { name, values = [] }: Statement) {
  assert.ok(name !== undefined, "statements of lists are prepared");
  const given = values.length === 0 ? "" : `(${values.map(literal).join()})`;
  const { rows } = await db.read.query<{ "QUERY PLAN": [{ Plan: Plan }] }>({
    text: `explain (analyze, buffers, format json) execute ${name}${given}`,
  });
  const plan = rows[0]?.["QUERY PLAN"][0].Plan ?? assert.fail();
  const blocks = plan["Shared Hit Blocks"] + plan["Shared Read Blocks"];
  return { rows: handled(plan), blocks, plan: JSON.stringify(plan, null, 1) };
}

function handled(plan: Plan): number {
  const { "Rows Removed by Filter": filtered = 0, "Rows Removed by Index Recheck": rechecked = 0 } = plan;
  const own = (plan["Actual Rows"] + filtered + rechecked) * plan["Actual Loops"];
  return (plan.Plans ?? []).reduce((sum, child) => sum + handled(child), own);
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (value instanceof Date) return pg.escapeLiteral(value.toISOString());
  if (value instanceof Uint8Array) return `'\\x${Buffer.from(value).toString("hex")}'`;
  if (Array.isArray(value)) return pg.escapeLiteral(`{${value.join()}}`);
  return pg.escapeLiteral(String(value));
}
