import assert from "node:assert/strict";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { after, before } from "node:test";
import { type AnyJson, type Api, assertError, type Json } from "../harness/api.ts";
import { Berth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import {
  bash,
  makeAgent,
  makeEnvironment,
  makeFile,
  makeSession,
  makeSkill,
  runTurn,
} from "../harness/fixtures.ts";
import { deliver } from "../harness/hook-sender.ts";
import { waitUntil } from "../harness/wait-until.ts";

interface List {
  path: string;
  parameters: string[];
}

let berth: Berth;
let api: Api;
let operator: Api;
/**
 * Every list of objects in the OpenAPI document; each has at least one object. Directory listings, and lists of a
 * git host, are excluded, since their entries have no ids.
 */
let lists: List[];
before(async () => {
  berth = await Berth.start();
  api = await berth.client();
  operator = await berth.operator();
  await makeAdministered();
  const parents = await makeParents();
  lists = listsOf(await api.ok("GET", "//openapi.json"), parents);
});
after(() => berth.stop());

/** Creates two objects for every list and returns the ids for the path parameters. */
async function makeParents(): Promise<Record<string, string>> {
  const agent = await makeAgent(api);
  await makeAgent(api);
  await api.ok("POST", `/agents/${agent.id}`, { version: 1, name: "Changed" });
  const files = [await makeFile(api, "one"), await makeFile(api, "two")];
  const resources = files.map(({ id }) => ({ type: "file", file_id: id }));
  const session = await makeSession(api, { resources });
  await makeSession(api);
  // Before the runner appends to the log, whose ids are only in order for each process.
  for (const command_prefix of ["npm test", "git status"])
    await api.ok("POST", `/sessions/${session.id}/confirmation_rules`, { tool_name: "Bash", command_prefix });
  const interrupt = { type: "user.interrupt" };
  await api.ok("POST", `/sessions/${session.id}/events`, { events: [interrupt, interrupt] });
  const vault = await api.ok("POST", "/vaults", { display_name: "one" });
  await api.ok("POST", "/vaults", { display_name: "two" });
  for (const host of ["one", "two"]) {
    const auth = { type: "static_bearer", mcp_server_url: `https://${host}.example`, token: "a-token" };
    await api.ok("POST", `/vaults/${vault.id}/credentials`, { auth });
  }
  for (const display_name of ["one", "two"])
    await api.ok("POST", "/connections", {
      display_name,
      url: "https://github.com",
      auth: { type: "token", api: "github", token: "a-token" },
    });
  for (const port of [80, 81]) await api.ok("POST", `/sessions/${session.id}/previews`, { port });
  const [webhook] = await Promise.all(
    ["one", "two"].map((name) =>
      api.ok("POST", "/webhooks", { name, url: "https://hook.invalid/", enabled_events: ["memory_store.*"] }),
    ),
  );
  const store = await api.ok("POST", "/memory_stores", { name: "one" });
  await api.ok("POST", "/memory_stores", { name: "two" });
  for (const path of ["/one", "/two"])
    await api.ok("POST", `/memory_stores/${store.id}/memories`, { path, content: path });
  const skill = await makeSkill(api, "one");
  await makeSkill(api, "one", { path: `/skills/${skill.id}/versions` });
  await makeSkill(api, "two");
  const deployed = await Promise.all(
    ["one", "two"].map((name) =>
      api.ok("POST", "/deployments", {
        ...{ name, agent: agent.id, environment_id: session.environment_id },
        initial_events: [{ type: "user.message", content: [{ type: "text", text: name }] }],
      }),
    ),
  );
  for (let run = 0; run < 2; run++) await api.ok("POST", `/deployments/${deployed[0]?.id}/run`);
  const triggers = `/deployments/${deployed[0]?.id}/triggers`;
  const [trigger] = await Promise.all(
    ["one", "two"].map((name) => api.ok("POST", triggers, { type: "signed", name })),
  );
  const { url, secret } = trigger;
  for (const id of ["one", "two"]) await deliver({ source: "signed", url, secret, id, body: "{}" });
  for (const { id } of files)
    await api.call("POST", "/api/v1/forward/resources/registry", { type: "file", resource: { id } });
  return {
    agent_id: agent.id,
    session_id: session.id,
    vault_id: vault.id,
    webhook_id: webhook?.id,
    memory_store_id: store.id,
    skill_id: skill.id,
    deployment_id: deployed[0]?.id,
    trigger_id: trigger.id,
  };
}

/** Creates two objects for each of the operator's lists, except for hosts, which has the service itself. */
async function makeAdministered(): Promise<void> {
  const made = (path: string, body: Json) => operator.ok("POST", `/api/v1/admin/${path}`, body);
  const organization = await made("organizations", { name: "two" });
  await made("operator_tokens", { name: "two" });
  for (const name of ["one", "two"]) {
    await made("service_accounts", { name, organization_id: organization.id });
    const [, erased] = await Promise.all(
      ["kept", "erased"].map((of) =>
        made("users", { email: `${name}@${of}.example`, organization_id: organization.id }),
      ),
    );
    await made("erasures", { user_id: erased?.id });
  }
  await waitUntil(
    async () => {
      const { data } = await operator.ok("GET", "/api/v1/admin/erasures");
      return data.every(({ completed_at }: AnyJson) => completed_at !== null);
    },
    () => "the erasures are not done",
  );
}

/** Removes fields that change with every read. */
function unaged({ seen_at: _, seen_seconds_ago: _age, stats, ...object }: AnyJson): AnyJson {
  return { ...object, stats: { ...stats, duration_seconds: 0 } };
}

function callerOf(path: string): Api {
  return path.includes("/admin/") ? operator : api;
}

function listsOf(document: AnyJson, parents: Record<string, string>): List[] {
  return Object.entries<AnyJson>(document.paths).flatMap(([template, { get }]) => {
    const schema = get?.responses["200"]?.content?.["application/json"]?.schema;
    if (schema?.properties?.has_more === undefined || /\/(workspace|repositories|branches)$/.test(template))
      return [];
    const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      assert.ok(parents[name] !== undefined, `no ${name} was created for ${template}`);
      return parents[name];
    });
    const parameters = get.parameters.map(({ name }: { name: string }) => name);
    return [{ path: parameters.includes("type") ? `${path}?type=file&` : `${path}?`, parameters }];
  });
}

covers(["page-every-list", "page-limit"], "every list: limit has the same bounds and messages", async () => {
  assert.ok(lists.length >= 15, `${lists.length} lists`);
  for (const { path } of lists) {
    for (const limit of ["0", "-1", "abc", "1.5", ""]) {
      assertError(await callerOf(path).get(`${path}limit=${limit}`), 400, "invalid_request_error", {
        message: "Field 'limit' must be a positive integer.",
        param: "limit",
      });
    }
    for (const limit of ["101", "99999999999999999999"]) {
      assertError(await callerOf(path).get(`${path}limit=${limit}`), 400, "invalid_request_error", {
        message: "limit exceeds maximum of 100",
        param: "limit",
      });
    }
    assertError(await callerOf(path).get(`${path}limit=1&limit=1`), 400, "invalid_request_error", {
      param: "limit",
    });
    assertError(await callerOf(path).get(`${path}bogus=1`), 400, "invalid_request_error", { param: "bogus" });
    assert.equal((await callerOf(path).ok("GET", `${path}limit=100`)).has_more, false, path);
  }
});

covers(
  ["page-every-list", "page-envelope"],
  "every list: pages of one object return the whole list in order",
  async () => {
    for (const { path, parameters } of lists) {
      const all = await callerOf(path).ok("GET", `${path}limit=100`);
      const seen: AnyJson[] = [];
      let next = "";
      for (let pages = 0; pages <= all.data.length; pages++) {
        const page = await callerOf(path).ok("GET", `${path}limit=1${next}`);
        assert.deepEqual([page.first_id, page.last_id], [page.data[0].id, page.data.at(-1).id], path);
        seen.push(...page.data);
        if (parameters.includes("page")) assert.equal(page.next_page !== null, page.has_more, path);
        else assert.ok(!("next_page" in page), path);
        if (!page.has_more) break;
        next = parameters.includes("page") ? `&page=${page.next_page}` : `&after_id=${page.last_id}`;
      }
      assert.deepEqual(seen.map(unaged), all.data.map(unaged), path);
      assert.ok(all.data.length >= (/\/(models|tokens|hosts)\b/.test(path) ? 1 : 2), path);
      const ids = all.data.map(({ id }: AnyJson) => id);
      // Entries of the audit log have numbers.
      const sorted = path.includes("/audit_entries")
        ? ids.toSorted((a: string, b: string) => +a - +b)
        : ids.toSorted();
      // Ids of hosts are not ordered by time.
      const order = /\/(events|hosts)\b/.test(path) ? sorted : sorted.reverse();
      // Models and runtimes are in an order of choice.
      if (!/\/(models|runtimes)\b/.test(path)) assert.deepEqual(ids, order, path);
    }
  },
);

covers(
  ["page-every-list", "page-cursors"],
  "every list: cursors are mutually exclusive and bound to their list",
  async () => {
    const cursor = (await api.ok("GET", "/environments?limit=1")).next_page;
    for (const { path, parameters } of lists) {
      if (parameters.includes("page") && !path.includes("/environments")) {
        assertError(await callerOf(path).get(`${path}page=${cursor}`), 400, "invalid_request_error", {
          param: "page",
        });
      }
      if (!parameters.includes("before_id")) continue;
      const { first_id: id } = await callerOf(path).ok("GET", `${path}limit=1`);
      const pairs = [`before_id=${id}&after_id=${id}`];
      if (parameters.includes("page")) pairs.push(`page=x&before_id=${id}`, `page=x&after_id=${id}`);
      for (const pair of pairs) {
        assertError(await callerOf(path).get(path + pair), 400, "invalid_request_error", {
          message: /^Only one of/,
        });
      }
      assertError(await callerOf(path).get(`${path}after_id=nonsense`), 400, "invalid_request_error", {
        param: "after_id",
      });
    }
  },
);

covers(["page-list-ends"], "every list: a page beyond either end is empty", async () => {
  for (const { path, parameters } of lists) {
    if (!parameters.includes("before_id")) continue;
    const { first_id, last_id } = await callerOf(path).ok("GET", `${path}limit=100`);
    const empty = { data: [], first_id: null, last_id: null, has_more: false };
    const expected = parameters.includes("page") ? { ...empty, next_page: null } : empty;
    assert.deepEqual(await callerOf(path).ok("GET", `${path}after_id=${last_id}`), expected, path);
    assert.deepEqual(await callerOf(path).ok("GET", `${path}before_id=${first_id}`), expected, path);
    if (!parameters.includes("created_at[gt]")) continue;
    assert.deepEqual(
      await callerOf(path).ok("GET", `${path}created_at[gt]=2100-01-01T00:00:00Z`),
      expected,
      path,
    );
  }
});

covers(["id-out-of-range"], "anchors and filters: an id out of range is rejected with 400", async () => {
  const outOfRange = "z".repeat(26);
  for (const { path, parameters } of lists) {
    const ids = parameters.filter((name) => /_id$/.test(name) && !path.includes(`${name}=`));
    const idParameters = ids.filter((name) =>
      ["before_id", "after_id", "agent_id", "scope_id"].includes(name),
    );
    for (const name of idParameters) {
      if (name === "agent_id" && path.includes("/versions")) continue;
      const first = (await callerOf(path).ok("GET", `${path}limit=1`)).first_id.split("_")[0];
      const prefix = { agent_id: "agent", scope_id: "sess" }[name] ?? first;
      assertError(
        await callerOf(path).get(`${path}${name}=${prefix}_${outOfRange}`),
        400,
        "invalid_request_error",
        {
          param: name,
        },
      );
    }
  }
});

covers(
  ["reference-unknown"],
  "references in bodies: an unknown id is 404 and named, another form is 400",
  async () => {
    const agent = (await makeAgent(api)).id;
    const environment_id = (await makeEnvironment(api)).id;
    const session = await makeSession(api);
    const create = (fields: Record<string, Json>) =>
      api.post("/sessions", { agent, environment_id, ...fields });
    const creations: Record<string, (id: string) => Promise<AnyJson>> = {
      agent: (id) => create({ agent: id }),
      env: (id) => create({ environment_id: id }),
      vault: (id) => create({ vault_ids: [id] }),
      file: (id) => create({ resources: [{ type: "file", file_id: id }] }),
      memstore: (id) => create({ resources: [{ type: "memory_store", memory_store_id: id }] }),
      skill: (id) =>
        api.post("/agents", {
          name: "x",
          model: "rehearsal/steps",
          skills: [{ type: "custom", skill_id: id }],
        }),
    };
    const addFile = (id: string) =>
      api.post(`/sessions/${session.id}/resources`, { type: "file", file_id: id });
    const sendImage = (id: string) =>
      api.post(`/sessions/${session.id}/events`, {
        events: [
          { type: "user.message", content: [{ type: "image", source: { type: "file", file_id: id } }] },
        ],
      });
    const cases: [string, (id: string) => Promise<AnyJson>][] = [
      ...Object.entries(creations),
      ["agent", (id) => create({ agent: { type: "agent", id } })],
      ["vault", (id) => create({ resources: [{ type: "vault", vault_id: id }] })],
      ["file", addFile],
      ["file", sendImage],
    ];
    for (const [prefix, request] of cases) {
      for (const rest of ["does_not_exist", "", "z".repeat(26), "01h00000000000000000000000"]) {
        const id = `${prefix}_${rest}`;
        assertError(await request(id), 404, "not_found_error", {
          message: new RegExp(`'${id}' does not exist`),
        });
      }
      for (const id of ["nonsense", "", `other_${"0".repeat(26)}`])
        assertError(await request(id), 400, "invalid_request_error", { message: /must be the id of/ });
    }
  },
);

covers(["response-safe"], "responses: nosniff on each, and no-store where a secret may be", async () => {
  const { paths } = await api.ok("GET", "//openapi.json");
  const isMarked = (method: string, path: string) =>
    paths[`/api/v1/cloud${path}`][method].responses[200].headers?.["cache-control"] !== undefined;
  const answers = {
    "post /tokens": await api.post("/tokens", { name: "once" }),
    "get /tokens": await api.get("/tokens"),
    "get /environments": await api.get("/environments"),
    "get /sessions": await api.get("/sessions"),
    "get /agents": await api.get("/agents"),
  };
  for (const [operation, { status, headers }] of Object.entries(answers)) {
    const [method = "", path = ""] = operation.split(" ");
    assert.equal(status, 200, operation);
    assert.equal(headers.get("x-content-type-options"), "nosniff", operation);
    assert.equal(headers.get("cache-control") === "no-store", isMarked(method, path), operation);
  }
  assert.deepEqual([isMarked("post", "/tokens"), isMarked("get", "/tokens")], [true, false]);
  const refused = await api.get("/agents/agent_01h00000000000000000000000");
  assert.deepEqual([refused.status, refused.headers.get("x-content-type-options")], [404, "nosniff"]);
});

covers(
  ["expect-continue"],
  "Expect: 100-continue: a body over the limit is refused before it is sent",
  async () => {
    const { port, hostname } = new URL(berth.url);
    const socket = connect(Number(port), hostname);
    socket.write(
      `POST /api/v1/cloud/agents HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nAuthorization: Bearer ${api.token}\r\nContent-Type: application/json\r\nContent-Length: 100000000000\r\n\r\n`,
    );
    const received = await text(socket);
    assert.match(received, /^HTTP\/1\.1 400 [\s\S]*invalid_request_error[\s\S]*larger than/);
    assert.match(received, /connection: close/i);
  },
);

covers(
  ["access-log"],
  "access log: the request id of an error is in it, and nothing of the path",
  async () => {
    const response = await fetch(`${berth.url}/nowhere/canary-path?q=canary-query`);
    const { request_id } = (await response.json()) as { request_id: string };
    const line = () => [...berth.log.matchAll(/.+\n/g)].flat().find((one) => one.includes(request_id));
    await waitUntil(
      () => line() !== undefined,
      () => "the request is not logged",
    );
    const { operation, status, client } = JSON.parse(line() ?? "");
    assert.deepEqual({ operation, status, client }, { operation: "none", status: 404, client: "127.0.0.1" });
    assert.doesNotMatch(berth.log, /canary-/);
  },
);

covers(
  ["session-log-lines", "metrics-sessions"],
  "log and metrics of the service: a turn has its line, with ids and numbers and nothing of its contents",
  async () => {
    const session = await makeSession(api);
    await runTurn(api, session.id, bash("echo canary-output > canary-file; cat canary-file"));
    const lines = () => [...berth.log.matchAll(/.+\n/g)].flat().filter((one) => one.includes(session.id));
    await waitUntil(
      () => lines().some((line) => line.includes('"turn ended"')),
      () => `the turn has no line: ${lines()}`,
    );
    const logged = lines().map((line) => JSON.parse(line));
    const opened = logged.find(({ msg }) => msg === "sandbox opened");
    assert.equal(typeof opened.milliseconds, "number");
    assert.equal(opened.kind, "new");
    for (const one of logged.filter(({ msg }) => msg !== "request ended"))
      assert.match(one.organization, /^org_/, one.msg);
    const { outcome, model, tool_calls, organization, input_tokens, version, milliseconds } = logged.find(
      ({ msg }) => msg === "turn ended",
    );
    assert.deepEqual([outcome, model, tool_calls], ["end_turn", "rehearsal/steps", 1]);
    assert.match(organization, /^org_/);
    assert.match(version, /^\d+\.\d+\.\d+$/);
    assert.ok(Number.isInteger(input_tokens) && Number.isInteger(milliseconds));
    assert.doesNotMatch(lines().join(""), /canary-/);

    const metrics = await (await fetch(`${berth.url}/metrics`)).text();
    for (const sample of [
      /^berth_turn_seconds_count\{outcome="end_turn"\} [1-9]/m,
      /^berth_tool_call_seconds_count\{tool="Bash",error="false"\} [1-9]/m,
      /^berth_sandbox_open_seconds_count\{kind="new"\} [1-9]/m,
      /^berth_model_first_token_seconds_count\{model="rehearsal\/steps"\} [1-9]/m,
      /^berth_model_request_gap_seconds_count\{part="build"\} [1-9]/m,
      /^berth_model_cost_dollars_total\{model="rehearsal\/steps"\} 0$/m,
      /^berth_turn_wait_seconds_count [1-9]/m,
      /^berth_database_up 1$/m,
      /^berth_database_connections\{process="runner",state="idle"\} \d/m,
      /^berth_data_directory_bytes\{state="size"\} [1-9]/m,
      /^berth_turn_slots\{state="free"\} \d/m,
      /^berth_runner_up 1$/m,
      /^process_cpu_seconds_total\{process="runner"\} /m,
      /^process_cpu_seconds_total\{process="api"\} /m,
    ])
      assert.ok(sample.test(metrics), `${sample} is not there`);
    assert.doesNotMatch(metrics, /[a-z]_[0-9a-z]{26}|[0-9a-f]{8}-[0-9a-f]{4}-/, "an id is a label");
  },
);

covers(["metrics-token"], "metrics: open on the machine itself, with a token through a proxy", async () => {
  const ask = async (headers: Record<string, string> = {}) =>
    (await fetch(`${berth.url}/metrics`, { headers })).status;
  const forwarded = { "x-forwarded-for": "192.0.2.7" };
  assert.deepEqual([await ask(), await ask(forwarded)], [200, 401]);
  const made = await api.ok("POST", "/tokens", { name: "prometheus", scopes: ["metrics:read"] });
  assert.equal(await ask({ ...forwarded, authorization: `Bearer ${made.token}` }), 200);
});
