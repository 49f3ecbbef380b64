// Subject: the routes of environments.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { RUNTIMES } from "@berth/contract";
import { runtimeSources } from "@berth/store/runtimes";
import { testApp, type Wire } from "../../../test-support/http.ts";

describe("environments", () => {
  test("create: no config → no network access and default limits", async (t) => {
    const owner = await (await testApp(t)).caller();
    const made = await owner.made("/environments", { name: "plain" });
    const limited = {
      type: "limited",
      allowed_hosts: [],
      allow_package_managers: false,
      allow_mcp_servers: false,
    };
    const packages = { apt: [], npm: [], pip: [] };
    const none = {
      setup_script: null,
      repository_setup_script: null,
      repository_setup_required: false,
    };
    const runtimes = { runtimes: {}, resolved_runtimes: [] };
    assert.deepEqual(made.config, { type: "cloud", networking: limited, packages, ...runtimes, ...none });
    assert.deepEqual(made.resources, { cpus: 2, memory_mb: 4_096, pids: 2_048, disk_mb: null });
    assert.equal(made.created_at, made.updated_at);
    assert.deepEqual((await owner.get(`/environments/${made.id}`)).body, made);
    const open = await owner.made("/environments", {
      name: "open",
      config: { type: "cloud", networking: { type: "unrestricted" } },
      resources: { cpus: 0.5 },
    });
    assert.deepEqual(open.config.networking, { type: "unrestricted" });
    assert.deepEqual(open.resources, { cpus: 0.5, memory_mb: 4_096, pids: 2_048, disk_mb: null });
    const hosts = await owner.made("/environments", {
      name: "hosts",
      config: {
        type: "cloud",
        networking: { type: "limited", allowed_hosts: ["API.Example.com", "*.x.example:8443"] },
      },
    });
    assert.deepEqual(hosts.config.networking.allowed_hosts, ["api.example.com", "*.x.example:8443"]);
  });

  test("create: a name that the owner has, also concurrently → one succeeds", async (t) => {
    const { caller } = await testApp(t);
    const owner = await caller();
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => owner.post("/environments", { name: "one" })),
    );
    assert.equal(replies.filter(({ status }) => status === 200).length, 1);
    for (const { body, headers } of replies.filter(({ status }) => status !== 200)) {
      assert.deepEqual([body.error.type, body.error.param], ["conflict_error", "name"]);
      assert.equal(headers["x-should-retry"], "false");
    }
    const other = await caller({ email: "other@example.com" });
    assert.equal((await other.post("/environments", { name: "one" })).status, 200);
  });

  test("networking: the flags for MCP servers and package managers survive an update", async (t) => {
    const owner = await (await testApp(t)).caller();
    const config = (networking: Wire) => ({
      config: { type: "cloud", networking: { type: "limited", ...networking } },
    });
    const made = await owner.made("/environments", { name: "e", ...config({ allow_mcp_servers: true }) });
    assert.equal(made.config.networking.allow_mcp_servers, true);
    const change = async (networking: Wire) =>
      (await owner.made(`/environments/${made.id}`, config(networking))).config.networking;
    const kept = await change({ allowed_hosts: ["a.example"] });
    assert.deepEqual([kept.allow_mcp_servers, kept.allowed_hosts], [true, ["a.example"]]);
    const off = await change({ allow_mcp_servers: null });
    assert.deepEqual([off.allow_mcp_servers, off.allowed_hosts], [false, ["a.example"]]);
    const packages = await change({ allow_package_managers: true });
    assert.deepEqual([packages.allow_package_managers, packages.allowed_hosts], [true, ["a.example"]]);
    assert.equal((await change({ allow_mcp_servers: true })).allow_package_managers, true);
    assert.equal((await change({ allow_package_managers: null })).allow_package_managers, false);
  });

  test("update: only the given fields change at every depth; null → the default", async (t) => {
    const owner = await (await testApp(t)).caller();
    const limited = { type: "limited", allowed_hosts: ["a.example"] };
    const made = await owner.made("/environments", {
      name: "one",
      description: "first",
      config: { type: "cloud", networking: limited },
      environment_variables: { A: "1", B: "2" },
      resources: { cpus: 1, pids: 100 },
      metadata: { keep: "k", drop: "d" },
    });
    const path = `/environments/${made.id}`;
    assert.deepEqual(await owner.made(path, {}), made);
    assert.deepEqual(await owner.made(path, { config: { type: "cloud", networking: limited } }), made);
    const changed = await owner.made(path, {
      name: "two",
      environment_variables: { C: "3" },
      resources: { cpus: null, memory_mb: 64 },
      metadata: { drop: null, never: null, more: "m" },
    });
    assert.deepEqual(changed, {
      ...made,
      name: "two",
      environment_variables: { C: "3" },
      resources: { cpus: 2, memory_mb: 64, pids: 100, disk_mb: null },
      metadata: { keep: "k", more: "m" },
      updated_at: changed.updated_at,
    });
    assert.ok(changed.updated_at > made.updated_at);
    assert.deepEqual((await owner.get(path)).body, changed);
    const open = await owner.made(path, { config: { type: "cloud", networking: { type: "unrestricted" } } });
    assert.deepEqual(open.config.networking, { type: "unrestricted" });
    const nothing = { config: null, description: null, metadata: null, resources: null };
    const cleared = await owner.made(path, { ...nothing, environment_variables: null });
    const plain = await owner.made("/environments", { name: "plain" });
    const { id: _id, name: _name, created_at: _created, updated_at: _updated, ...rest } = plain;
    assert.deepEqual(cleared, { ...cleared, ...rest });
  });

  test("update: a name in use → 409; delete frees the name", async (t) => {
    const { db, caller } = await testApp(t);
    const owner = await caller();
    const one = await owner.made("/environments", {
      name: "one",
      environment_variables: { KEY: "canary-51" },
    });
    const two = await owner.made("/environments", { name: "two" });
    const taken = await owner.post(`/environments/${two.id}`, { name: "one" });
    assert.deepEqual([taken.status, taken.body.error.param], [409, "name"]);
    assert.deepEqual((await owner.get(`/environments/${two.id}`)).body, two);
    const replies = await Promise.all(
      Array.from({ length: 4 }, (_, index) =>
        owner
          .post("/environments", { name: `x${index}` })
          .then(async ({ body }) => owner.post(`/environments/${body.id}`, { name: "wanted" })),
      ),
    );
    assert.deepEqual(replies.map(({ status }) => status).toSorted(), [200, 409, 409, 409]);
    assert.deepEqual((await owner.delete(`/environments/${one.id}`)).body, {
      id: one.id,
      type: "environment_deleted",
    });
    assert.equal((await owner.delete(`/environments/${one.id}`)).status, 404);
    assert.equal((await owner.get(`/environments/${one.id}`)).status, 404);
    assert.equal((await owner.post(`/environments/${two.id}`, { name: "one" })).status, 200);
    const kept = await db.read.query({ text: "select environments::text as row from environments" });
    assert.ok(!JSON.stringify(kept.rows).includes("canary-51"));
  });

  test("archive: read-only afterwards", async (t) => {
    const { caller } = await testApp(t);
    const owner = await caller();
    const agent = await owner.made("/agents", { name: "a", model: "rehearsal/steps" });
    const made = await owner.made("/environments", { name: "one" });
    const path = `/environments/${made.id}`;
    assert.equal((await (await caller({ email: "other@example.com" })).post(`${path}/archive`)).status, 403);
    const archived = await owner.made(`${path}/archive`, {});
    assert.notEqual(archived.archived_at, null);
    assert.deepEqual((await owner.post(`${path}/archive`)).body, archived);
    assert.deepEqual((await owner.get(path)).body, archived);
    assert.deepEqual((await owner.get("/environments")).body.data, []);
    assert.deepEqual((await owner.get("/environments?include_archived=true")).body.data, [archived]);
    const refused = await owner.post(path, { name: "two" });
    assert.deepEqual([refused.status, refused.body.error.type], [403, "permission_error"]);
    const session = await owner.post("/sessions", { agent: agent.id, environment_id: made.id });
    assert.deepEqual([session.status, session.body.error.type], [409, "conflict_error"]);
    assert.equal((await owner.delete(path)).status, 200);
  });

  test("delete: used by a session that is not terminated, also one being created → 409", async (t) => {
    const owner = await (await testApp(t)).caller();
    const agent = await owner.made("/agents", { name: "a", model: "rehearsal/steps" });
    const made = await owner.made("/environments", { name: "one" });
    const session = await owner.made("/sessions", { agent: agent.id, environment_id: made.id });
    const used = await owner.delete(`/environments/${made.id}`);
    assert.deepEqual([used.status, used.body.error.type], [409, "conflict_error"]);
    await owner.made(`/sessions/${session.id}/terminate`, {});
    assert.equal((await owner.delete(`/environments/${made.id}`)).status, 200);
    assert.equal((await owner.get(`/sessions/${session.id}`)).body.environment_id, made.id);
    for (let round = 0; round < 5; round += 1) {
      const { id } = await owner.made("/environments", { name: `race ${round}` });
      const [deleted, created] = await Promise.all([
        owner.delete(`/environments/${id}`),
        owner.post("/sessions", { agent: agent.id, environment_id: id }),
      ]);
      const outcome = `${deleted.status} ${created.status}`;
      assert.ok(outcome === "200 404" || outcome === "409 200", outcome);
    }
  });
});

test("image: the engine runs images → kept; it does not → rejected", async (t) => {
  const owner = await (await testApp(t, { runsImages: true })).caller();
  const made = await owner.made("/environments", {
    name: "e",
    image: "registry.example:5000/team/image:1.2",
  });
  assert.equal(made.image, "registry.example:5000/team/image:1.2");
  const path = `/environments/${made.id}`;
  assert.equal((await owner.made(path, { description: "d" })).image, made.image);
  const digest = `debian@sha256:${"a".repeat(64)}`;
  assert.equal((await owner.made(path, { image: digest })).image, digest);
  assert.equal((await owner.made(path, { image: null })).image, null);
  assert.equal((await owner.get(path)).body.image, null);
  const other = await (await testApp(t)).caller();
  const refused = await other.post("/environments", { name: "e", image: "debian" });
  assert.deepEqual([refused.status, refused.body.error.param], [400, "image"]);
});

test("runtime_class: one that is allowed → kept; another, or where sandboxes are no pods → rejected with the field", async (t) => {
  const { caller, db } = await testApp(t, { runtimeClasses: ["gvisor", "kata.v2"] });
  const owner = await caller();
  const made = await owner.made("/environments", { name: "e", runtime_class: "gvisor" });
  const path = `/environments/${made.id}`;
  assert.equal(made.runtime_class, "gvisor");
  assert.equal((await owner.made(path, { description: "d" })).runtime_class, "gvisor");
  assert.equal((await owner.made(path, { runtime_class: "kata.v2" })).runtime_class, "kata.v2");
  const refused = await owner.post(path, { runtime_class: "runc" });
  assert.deepEqual([refused.status, refused.body.error.param], [400, "runtime_class"]);
  assert.match(
    refused.body.error.message,
    /'runc', which this installation does not allow\. It allows gvisor, kata\.v2\./,
  );
  for (const wrong of ["", "gVisor", "a..b", "-a", "a/b", 7, "a".repeat(254)])
    assert.equal((await owner.post(path, { runtime_class: wrong })).body.error.param, "runtime_class");
  assert.equal((await owner.get(path)).body.runtime_class, "kata.v2");
  // Stored runtime classes stay, even when they are not allowed.
  await db.write.query({ text: "update environments set runtime_class = 'former'" });
  assert.equal((await owner.made(path, { name: "other" })).runtime_class, "former");
  assert.equal((await owner.made(path, { runtime_class: null })).runtime_class, null);
  for (const [runtimeClasses, message] of [
    [null, /are not pods of a Kubernetes cluster/],
    [[], /does not allow\. It allows none\./],
  ] as const) {
    const other = await (await testApp(t, { runtimeClasses })).caller();
    const answer = await other.post("/environments", { name: "e", runtime_class: "gvisor" });
    assert.deepEqual([answer.status, answer.body.error.param], [400, "runtime_class"]);
    assert.match(answer.body.error.message, message);
    assert.equal((await other.made("/environments", { name: "e", runtime_class: null })).runtime_class, null);
  }
});

test("workspace: persistent unless it is said; kept when it is left out, and null restores the default", async (t) => {
  const owner = await (await testApp(t)).caller();
  assert.equal((await owner.made("/environments", { name: "one" })).workspace, "persistent");
  const made = await owner.made("/environments", { name: "two", workspace: "ephemeral" });
  const path = `/environments/${made.id}`;
  assert.equal(made.workspace, "ephemeral");
  assert.equal((await owner.made(path, { description: "d" })).workspace, "ephemeral");
  assert.equal((await owner.post(path, { workspace: "kept" })).body.error.param, "workspace");
  assert.equal((await owner.made(path, { workspace: null })).workspace, "persistent");
  assert.equal((await owner.made(path, { workspace: "ephemeral" })).workspace, "ephemeral");
  assert.equal((await owner.get(path)).body.workspace, "ephemeral");
});

test("resources above the ceilings → 400; defaults are within them; what was stored before stays", async (t) => {
  const ceilings = { cpus: 1, memory_mb: 1_024, pids: 100, disk_mb: 2_048 };
  const { caller, db } = await testApp(t, { ceilings });
  const owner = await caller();
  const made = await owner.made("/environments", { name: "e", resources: { disk_mb: 2_048 } });
  assert.deepEqual(made.resources, ceilings);
  const path = `/environments/${made.id}`;
  for (const [name, above] of Object.entries({ cpus: 1.1, memory_mb: 1_025, pids: 101, disk_mb: 2_049 })) {
    const resources = { [name]: above };
    for (const refused of [
      await owner.post("/environments", { name: `e-${name}`, resources }),
      await owner.post(path, { resources }),
    ])
      assert.deepEqual([refused.status, refused.body.error.param], [400, `resources.${name}`]);
  }
  const stored = JSON.stringify({ ...ceilings, pids: 1_000 });
  await db.write.query({ text: "update environments set resources = $1", values: [stored] });
  const changed = await owner.made(path, { description: "d", resources: { cpus: 0.5 } });
  assert.deepEqual(changed.resources, { ...ceilings, cpus: 0.5, pids: 1_000 });
  assert.deepEqual((await owner.made(path, { resources: null })).resources, { ...ceilings, disk_mb: null });
});

/** Sources that need no network. */
const SOURCES = {
  node: [
    { from: "base", version: "20.1.0", programs: { node: "/usr/bin/node" } },
    { from: "base", version: "22.1.0", programs: { node: "/usr/bin/node" } },
  ],
  go: [{ from: "debian", suite: "trixie", packages: { "1.24": ["golang-1.24-go"] } }],
};

function runtimesFrom(sources: object) {
  const fetch = async () => new Response("", { status: 500 });
  return { sources: runtimeSources(JSON.stringify(sources)), fetch, npmRegistry: null };
}

test("runtimes: chosen when they are written, and only those that a request names", async (t) => {
  const { caller, db } = await testApp(t, { runtimes: runtimesFrom(SOURCES) });
  const owner = await caller();
  const config = (runtimes: unknown) => ({ config: { type: "cloud", runtimes } });
  const made = await owner.made("/environments", { name: "e", ...config({ node: "20", go: "latest" }) });
  const node = { runtime: "node", requested: "20", version: "20.1.0", source: "base" };
  const go = { runtime: "go", requested: "latest", version: "1.24", source: "debian" };
  assert.deepEqual(made.config.runtimes, { node: "20", go: "latest" });
  assert.deepEqual(made.config.resolved_runtimes, [node, go]);
  const path = `/environments/${made.id}`;
  // A newer version of the line appears.
  await db.write.query({
    text: `insert into runtime_releases
      select runtime, '20.2.0', architecture, source, contents, listed_at from runtime_releases where version = '20.1.0'`,
  });
  const later = await owner.made(path, config({ go: null }));
  assert.deepEqual(later.config.resolved_runtimes, [node]);
  assert.deepEqual((await owner.made(path, { description: "d" })).config.resolved_runtimes, [node]);
  const newer = { ...node, version: "20.2.0" };
  assert.deepEqual((await owner.made(path, config({ node: "20" }))).config.resolved_runtimes, [newer]);
  assert.deepEqual((await owner.get(path)).body.config.resolved_runtimes, [newer]);
  const lts = await owner.made(path, config({ node: "lts" }));
  assert.deepEqual(lts.config.resolved_runtimes, [{ ...node, requested: "lts", version: "22.1.0" }]);
  for (const none of [config(null), { config: null }]) {
    await owner.made(path, config({ node: "22" }));
    const { config: cleared } = await owner.made(path, none);
    assert.deepEqual([cleared.runtimes, cleared.resolved_runtimes], [{}, []]);
  }
  await owner.made(path, config({ node: "22" }));
  const { config: auto } = await owner.made(path, config("auto"));
  assert.deepEqual([auto.runtimes, auto.resolved_runtimes], ["auto", []]);
  assert.equal((await owner.made(path, { description: "of auto" })).config.runtimes, "auto");
  const named = (await owner.made(path, config({ node: "20" }))).config;
  assert.deepEqual([named.runtimes, named.resolved_runtimes], [{ node: "20" }, [newer]]);
  // As releases before runtimes stored them.
  await db.write.query({
    text: "update environments set config = (config::jsonb - 'runtimes' - 'resolved_runtimes')::json",
  });
  const before = (await owner.get(path)).body;
  assert.deepEqual([before.config.runtimes, before.config.resolved_runtimes], [{}, []]);
  const same = await owner.made(path, { config: { type: "cloud" } });
  assert.equal(same.updated_at, before.updated_at);
  assert.deepEqual((await owner.get("/environments")).body.data[0].config.runtimes, {});
});

test("runtimes: each of them takes a version, which an update keeps or removes", async (t) => {
  const sources = Object.fromEntries(
    RUNTIMES.map((name, index) => [name, [{ from: "base", version: `${index + 1}.2`, programs: {} }]]),
  );
  const owner = await (await testApp(t, { runtimes: runtimesFrom(sources) })).caller();
  const runtimes = Object.fromEntries(RUNTIMES.map((name, index) => [name, `${index + 1}`]));
  const made = await owner.made("/environments", { name: "e", config: { type: "cloud", runtimes } });
  assert.deepEqual(
    made.config.resolved_runtimes.map(({ runtime, version }: Wire) => [runtime, version]),
    RUNTIMES.map((name, index) => [name, `${index + 1}.2`]),
  );
  for (const name of RUNTIMES) {
    const body = { config: { type: "cloud", runtimes: { [name]: null } } };
    const { config } = await owner.made(`/environments/${made.id}`, body);
    assert.ok(!(name in config.runtimes));
  }
});

test("runtimes: what is not to be had, has no form, or needs other sandboxes → 400 with the field", async (t) => {
  const owner = await (await testApp(t, { runtimes: runtimesFrom(SOURCES) })).caller();
  const refused = async (runtimes: unknown, caller = owner) => {
    const { status, body } = await caller.post("/environments", {
      name: "e",
      config: { type: "cloud", runtimes },
    });
    assert.equal(status, 400);
    return [body.error.param, body.error.message];
  };
  assert.deepEqual(await refused({ node: "18" }), [
    "config.runtimes.node",
    "Field 'config.runtimes.node' asks for 18, which this installation does not have. It has 20.1.0 and 22.1.0.",
  ]);
  assert.match((await refused({ uv: "latest" }))[1], /It has none\.$/);
  for (const wrong of ["", "v22", "22.x", ">=20", "1.2.3.4", "22 ", "../x", 22, "9".repeat(30)])
    assert.equal((await refused({ node: wrong }))[0], "config.runtimes.node");
  assert.equal((await refused({ go: "lts" }))[0], "config.runtimes.go");
  for (const wrong of ["latest", "", 22, ["auto"], true])
    assert.equal((await refused(wrong))[0], "config.runtimes");
  assert.match((await refused(22))[1], /must be 'auto' or an object/);
  assert.match((await refused({ php: "8" }))[0], /^config\.runtimes(\.php)?$/);
  const pods = await (await testApp(t)).caller();
  assert.deepEqual(await refused({ node: "20" }, pods), [
    "config.runtimes",
    "Field 'config.runtimes' needs sandboxes of bubblewrap or Docker. On this installation they are pods, whose image has the programs.",
  ]);
  assert.equal((await refused("auto", pods))[0], "config.runtimes");
  await pods.made("/environments", { name: "none", config: { type: "cloud", runtimes: { node: null } } });
  assert.deepEqual((await pods.get("/runtimes")).body.data, []);
});

test("GET /runtimes: all of them, in pages, with the newest version as the default", async (t) => {
  const owner = await (await testApp(t, { runtimes: runtimesFrom(SOURCES) })).caller();
  const { body } = await owner.get("/runtimes?limit=100");
  assert.deepEqual(
    body.data.map(({ id }: Wire) => id),
    ["node", "python", "go", "rust", "java", "bun", "deno", "pnpm", "yarn", "uv"],
  );
  assert.deepEqual(body.data[0].versions, [
    { version: "22.1.0", source: "base", default: true },
    { version: "20.1.0", source: "base", default: false },
  ]);
  assert.match(body.data[0].listed_at, /^\d{4}-/);
  // Its source does not answer.
  const bun = body.data.find(({ id }: Wire) => id === "bun");
  assert.deepEqual([bun.versions, bun.listed_at], [[], null]);
  const first = (await owner.get("/runtimes?limit=4")).body;
  const rest = (await owner.get(`/runtimes?limit=100&page=${first.next_page}`)).body;
  assert.deepEqual([...first.data, ...rest.data], body.data);
});
