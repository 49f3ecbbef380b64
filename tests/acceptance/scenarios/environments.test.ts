import assert from "node:assert/strict";
import { type AnyJson, assertError } from "../harness/api.ts";
import { Berth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import { bash, makeAgent, makeEnvironment, makeSession, runTurn, toolResults } from "../harness/fixtures.ts";
import { sharedService } from "../harness/shared-service.ts";

const { berth, api } = await sharedService();

covers(
  ["environment-crud"],
  "read environment: as created; by default networking is limited and allows no hosts",
  async () => {
    const given = { name: "plain", description: "of the team", metadata: { a: "b" } };
    const made = await makeEnvironment(api, given);
    const { name, description, metadata } = made;
    assert.deepEqual({ name, description, metadata }, given);
    assert.match(made.id, /^env_[0-9a-hjkmnp-tv-z]{26}$/);
    assert.equal(made.type, "environment");
    assert.deepEqual(made.config.networking, {
      type: "limited",
      allowed_hosts: [],
      allow_package_managers: false,
      allow_mcp_servers: false,
    });
    assert.deepEqual(made.environment_variables, {});
    assert.deepEqual(await api.ok("GET", `/environments/${made.id}`), made);
    assert.deepEqual((await api.ok("GET", "/environments?limit=1")).data, [made]);
    assertError(await api.get("/environments/env_01h00000000000000000000000"), 404, "not_found_error");
  },
);

covers(
  ["environment-crud"],
  "config.type self_hosted: rejected with 400 as not available in this version",
  async () => {
    for (const [param, fields] of [["config.type", { config: { type: "self_hosted" } }]] as const) {
      const response = await api.post("/environments", { name: "later", ...fields });
      assertError(response, 400, "invalid_request_error", {
        message: /not available in this version/,
        param,
      });
    }
  },
);

covers(
  ["environment-image"],
  "image: rejected when the engine runs no images, and an invalid reference always",
  async () => {
    const made = await makeEnvironment(api);
    assert.equal(made.image, null);
    assert.deepEqual(await api.ok("POST", `/environments/${made.id}`, { image: null }), made);
    for (const path of ["/environments", `/environments/${made.id}`]) {
      const request = (image: unknown) => api.post(path, { name: "of an image", image });
      assertError(await request("debian:bookworm"), 400, "invalid_request_error", {
        param: "image",
        message: /does not run container images/,
      });
      for (const image of ["", "Debian", "-x", "a b", "a:b:c", "../x", 7, `a${"b".repeat(300)}`])
        assertError(await request(image), 400, "invalid_request_error", {
          param: "image",
          message: /'image'/,
        });
    }
  },
);

covers(
  ["kubernetes-runtime-classes"],
  "runtime_class: rejected where sandboxes are no pods, and an invalid name always",
  async () => {
    const made = await makeEnvironment(api);
    assert.equal(made.runtime_class, null);
    for (const path of ["/environments", `/environments/${made.id}`]) {
      const request = (runtime_class: unknown) => api.post(path, { name: "of a class", runtime_class });
      assertError(await request("gvisor"), 400, "invalid_request_error", {
        param: "runtime_class",
        message: /are not pods of a Kubernetes cluster/,
      });
      assertError(await request("gVisor"), 400, "invalid_request_error", {
        param: "runtime_class",
        message: /such as 'gvisor'/,
      });
    }
  },
);

covers(
  ["environment-crud"],
  "allowed_hosts: names and wildcards; addresses and urls are rejected with 400",
  async () => {
    const create = (host: string) =>
      api.post("/environments", {
        name: "hosts",
        config: { type: "cloud", networking: { type: "limited", allowed_hosts: [host] } },
      });
    for (const host of [
      "10.0.0.1",
      "http://a.example",
      "a b",
      "",
      "*",
      "a..b",
      "a.example/x",
      "user@a.example",
      "[::1]",
      "a.example:0",
      "a.example:70000",
    ]) {
      assertError(await create(host), 400, "invalid_request_error", {
        param: "config.networking.allowed_hosts[0]",
      });
    }
    assert.equal((await create("*.a.example")).status, 200);
  },
);

covers(["environment-unique"], "environment name: unique for an owner", async () => {
  await makeEnvironment(api, { name: "ours" });
  assertError(await api.post("/environments", { name: "ours" }), 409, "conflict_error");
  const other = await berth.client({ user: "other@example.com" });
  assert.equal((await makeEnvironment(other, { name: "ours" })).name, "ours");
});

covers(["environment-unique"], "update environment: a used name is rejected with 409", async () => {
  const taken = await makeEnvironment(api);
  const made = await makeEnvironment(api);
  assertError(await api.post(`/environments/${made.id}`, { name: taken.name }), 409, "conflict_error", {
    param: "name",
  });
  assert.deepEqual(await api.ok("GET", `/environments/${made.id}`), made);
  await api.ok("DELETE", `/environments/${taken.id}`);
  assert.equal((await api.ok("POST", `/environments/${made.id}`, { name: taken.name })).name, taken.name);
});

covers(
  ["environment-update"],
  "update environment: omitted fields are kept, and the next command has the new variables",
  async () => {
    const limited = { type: "limited", allowed_hosts: ["a.example"] };
    const made = await makeEnvironment(api, {
      description: "first",
      config: { type: "cloud", networking: limited },
      environment_variables: { COLOUR: "red", SHAPE: "round" },
      metadata: { a: "1", b: "2" },
    });
    const path = `/environments/${made.id}`;
    assert.deepEqual(await api.ok("POST", path, {}), made);
    const session = await makeSession(api, { environment_id: made.id });
    const say = async () =>
      toolResults(await runTurn(api, session.id, bash('echo "<$COLOUR $SHAPE>"')))[0]?.match(/<.*>/)?.[0];
    assert.equal(await say(), "<red round>");
    const changed = await api.ok("POST", path, {
      description: null,
      environment_variables: { COLOUR: "blue" },
      metadata: { b: null, c: "3" },
    });
    assert.deepEqual(changed, {
      ...made,
      description: null,
      environment_variables: { COLOUR: "blue" },
      metadata: { a: "1", c: "3" },
      updated_at: changed.updated_at,
    });
    assert.equal(await say(), "<blue >");
    const closed = await api.ok("POST", path, { config: null });
    assert.deepEqual(closed.config.networking.allowed_hosts, []);
    assertError(
      await api.post(path, { environment_variables: { PATH: "/" } }),
      400,
      "invalid_request_error",
      {
        param: "environment_variables.PATH",
      },
    );
    assertError(await api.post(path, { image: "debian" }), 400, "invalid_request_error", { param: "image" });
  },
);

covers(["environment-archive"], "archived environment: can be read, not changed or used", async () => {
  const made = await makeEnvironment(api);
  const isMade = ({ id }: AnyJson) => id === made.id;
  const path = `/environments/${made.id}`;
  const archived = await api.ok("POST", `${path}/archive`);
  assert.match(archived.archived_at, /^\d{4}-.*Z$/);
  assert.deepEqual(await api.ok("POST", `${path}/archive`), archived);
  assert.deepEqual(await api.ok("GET", path), archived);
  assert.ok(!(await api.ok("GET", "/environments?limit=100")).data.some(isMade));
  assert.ok((await api.ok("GET", "/environments?limit=100&include_archived=true")).data.some(isMade));
  assertError(await api.post(path, { name: "x" }), 403, "permission_error", { message: /archived/ });
  const agent = await makeAgent(api);
  assertError(
    await api.post("/sessions", { agent: agent.id, environment_id: made.id }),
    409,
    "conflict_error",
  );
});

covers(
  ["environment-delete"],
  "delete environment: rejected with 409 while a session that is not terminated uses it",
  async () => {
    const made = await makeEnvironment(api);
    const path = `/environments/${made.id}`;
    const session = await makeSession(api, { environment_id: made.id });
    assertError(await api.delete(path), 409, "conflict_error");
    await runTurn(api, session.id, bash("true"));
    await api.ok("POST", `/sessions/${session.id}/terminate`);
    assert.deepEqual(await api.ok("DELETE", path), { id: made.id, type: "environment_deleted" });
    assertError(await api.get(path), 404, "not_found_error");
    assertError(await api.post(path, { name: "x" }), 404, "not_found_error");
    assert.equal((await api.ok("GET", `/sessions/${session.id}`)).environment_id, made.id);
    const agent = await makeAgent(api);
    assertError(
      await api.post("/sessions", { agent: agent.id, environment_id: made.id }),
      404,
      "not_found_error",
    );
  },
);

covers(
  ["egress-default"],
  "default networking: no host can be reached, and a denied name is reported",
  async () => {
    const session = await makeSession(api);
    const tries = [
      "https://example.com/",
      "http://169.254.169.254/",
      "http://127.0.0.1:1/",
      `http://127.0.0.1:${new URL(berth.url).port}/livez`,
    ];
    const events = await runTurn(
      api,
      session.id,
      ...tries.map((url) => bash(`curl -sS -m 5 --noproxy '*' ${url} 2>&1; echo "exit $?"`)),
    );
    for (const text of toolResults(events)) assert.match(text, /exit [1-9]/);
    const denied = (await api.ok("GET", `/sessions/${session.id}/events?types[]=session.egress_denied`)).data;
    assert.ok(
      denied.some(({ host }: { host: string }) => host === "example.com"),
      JSON.stringify(denied),
    );
  },
);

covers(
  ["session-variables"],
  "variables: commands have those of the environment and the session, and the session's take precedence",
  async () => {
    const environment = await makeEnvironment(api, {
      environment_variables: { FROM: "environment", ONLY: "here" },
    });
    const session = await makeSession(api, {
      environment_id: environment.id,
      environment_variables: { FROM: "session" },
    });
    const [text] = toolResults(await runTurn(api, session.id, bash('echo "$FROM $ONLY"')));
    assert.match(text ?? "", /session here/);
    const own = bash("getent hosts $(hostname); getent ahosts localhost >/dev/null && echo known");
    assert.match(
      toolResults(await runTurn(api, session.id, own))[0] ?? "",
      /^127\.0\.0\.1 .*session\nknown$/,
    );
    const denied = await api.ok("GET", `/sessions/${session.id}/events?types[]=session.egress_denied`);
    assert.deepEqual(denied.data, [], "the container's own name is no denial");
    for (const name of ["BERTH_TOKEN", "PATH", "PWD", "UID", "GH_TOKEN", "9LIVES", "A-B"]) {
      assertError(
        await api.post("/environments", { name: "v", environment_variables: { [name]: "x" } }),
        400,
        "invalid_request_error",
      );
    }
  },
);

covers(
  ["environment-ceilings"],
  "more than the ceilings: refused; a session whose environment was stored with more has the ceilings",
  async () => {
    const first = await Berth.start();
    let client = await first.client();
    for (const [name, value] of Object.entries({ cpus: 256, memory_mb: 1_048_576, pids: 1_000_000 })) {
      const param = `resources.${name}`;
      const response = await client.post("/environments", { name, resources: { [name]: value } });
      assertError(response, 400, "invalid_request_error", { param });
    }
    const { id, resources } = await makeEnvironment(client, { resources: { memory_mb: 1_024, pids: 400 } });
    await first.kill("SIGKILL");
    const settings = { BERTH_MAX_MEMORY_MB: "256", BERTH_MAX_PIDS: "64" };
    const second = await Berth.start({ dataDir: first.dataDir, settings });
    try {
      client = await second.client();
      assert.deepEqual((await client.ok("GET", `/environments/${id}`)).resources, resources);
      const response = await client.post(`/environments/${id}`, { resources: { memory_mb: 257 } });
      assertError(response, 400, "invalid_request_error", { param: "resources.memory_mb" });
      const session = await makeSession(client, { environment_id: id });
      const fork = 'for i in $(seq 100); do sleep 3 & done 2>&1 | grep -c -i "resource\\|fork"';
      const df = bash("df -BM --output=size /dev/shm | tail -n 1");
      const events = await runTurn(client, session.id, df, bash(fork));
      const started = events.find(({ type }) => type === "session.container_started");
      assert.deepEqual(started?.lowered_limits, { memory_mb: 256, pids: 64 });
      const [shared, forks] = toolResults(events);
      assert.match(shared ?? "", /^\s*64M$/m);
      assert.match(forks ?? "", /[1-9]/);
      const lowered = await makeEnvironment(client, { name: "lowered" });
      assert.deepEqual([lowered.resources.memory_mb, lowered.resources.pids], [256, 64]);
    } finally {
      await second.stop();
    }
  },
);

covers(["environment-limits"], "memory_mb and pids: limit the commands of a session", async () => {
  const environment = await makeEnvironment(api, { resources: { memory_mb: 128, pids: 64 } });
  const session = await makeSession(api, { environment_id: environment.id });
  const hold = (megabytes: number) =>
    `head -c ${megabytes}M /dev/zero | tail -c ${megabytes}M | wc -c; echo "\${PIPESTATUS[*]}"`;
  const fork = 'for i in $(seq 100); do sleep 3 & done 2>&1 | grep -c -i "resource\\|fork"; wait';
  const [small, large, forks] = toolResults(
    await runTurn(api, session.id, bash(hold(16)), bash(hold(400)), bash(fork)),
  );
  assert.match(small ?? "", /^16777216$/m);
  assert.doesNotMatch(large ?? "", /^419430400$/m);
  assert.match(forks ?? "", /[1-9]/);
});
