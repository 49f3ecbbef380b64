import assert from "node:assert/strict";
import { type AnyJson, Api, assertError } from "../harness/api.ts";
import { covers } from "../harness/covers.ts";
import { makeEnvironment, makeFile, makeSkill } from "../harness/fixtures.ts";
import { sharedService } from "../harness/shared-service.ts";

const { berth, api } = await sharedService();

const RESOURCES = "/api/v1/forward/resources";

function register(type: string, id: string, by = api, headers: Record<string, string> = {}) {
  return by.post(`${RESOURCES}/registry`, { type, resource: { id } }, { headers });
}

covers(
  ["forward-register", "forward-list"],
  "register: each type is registered and listed with its current object",
  async () => {
    const vault = await api.ok("POST", "/vaults", { display_name: "keys" });
    const made: [string, string, AnyJson][] = [
      ["skill", "/skills", await makeSkill(api, "listed", { metadata: { a: "b" } })],
      ["file", "/files", await makeFile(api, "text")],
      ["vault", "/vaults", vault],
      ["environment", "/environments", await makeEnvironment(api)],
    ];
    for (const [type, path, { id }] of made) {
      const first = await register(type, id);
      assert.deepEqual([first.status, first.body], [201, { id, type }]);
      const again = await register(type, id);
      assert.deepEqual([again.status, again.body], [200, { id, type }]);
      const page = await api.ok("GET", `${RESOURCES}?type=${type}`);
      const { owner_id: owner, ...entry } = page.data[0];
      assert.match(owner, /^usr_/);
      const live = await api.ok("GET", `${path}/${id}`);
      assert.deepEqual(entry, { id, type, owner_type: "user", resource_spec: live });
      assert.deepEqual([page.has_more, page.first_id, page.last_id], [false, id, id]);
      assert.ok(!("next_page" in page));
    }
    const { resource_spec: spec } = (await api.ok("GET", `${RESOURCES}?type=skill`)).data[0];
    for (const field of ["name", "description", "created_at", "updated_at"])
      assert.equal(typeof spec[field], "string");
    assert.deepEqual([spec.type, spec.status, spec.skill_type], ["skill", "active", "custom"]);
    assert.deepEqual(spec.metadata, { a: "b" });
  },
);

covers(
  ["forward-body", "forward-exists"],
  "register: invalid bodies, unknown and inaccessible resources are rejected",
  async () => {
    const { id } = await makeEnvironment(api);
    const send = (body: unknown) => api.post(`${RESOURCES}/registry`, body);
    assertError(await send({ resource: { id } }), 400, "invalid_request_error", { param: "type" });
    assertError(await send({ type: "agent", resource: { id } }), 400, "invalid_request_error", {
      param: "type",
    });
    assertError(await send({ type: "environment", resource: {} }), 400, "invalid_request_error", {
      param: "resource.id",
    });
    assertError(
      await api.call("POST", `${RESOURCES}/registry`, undefined, {
        raw: "{",
        headers: { "content-type": "application/json" },
      }),
      400,
      "invalid_request_error",
    );
    assertError(await send({ type: "skill", resource: { id } }), 404, "not_found_error");
    assertError(await register("environment", "env_01h00000000000000000000000"), 404, "not_found_error");
    const other = await berth.client({ user: "other@example.com" });
    assertError(await register("environment", id, other), 403, "permission_error");
    const more = { type: "environment", resource: { id, name: "ignored", deep: [{}] } };
    assert.equal((await send(more)).status, 201);
  },
);

covers(["forward-key"], "register: a repeated idempotency key returns the first response", async () => {
  const [one, two] = [await makeEnvironment(api), await makeEnvironment(api)];
  const key = { "idempotency-key": "forward-once" };
  const first = await register("environment", one.id, api, key);
  const again = await register("environment", one.id, api, key);
  assert.deepEqual([first.status, again.status], [201, 201]);
  assert.deepEqual(again.body, first.body);
  assert.equal(again.headers.get("idempotency-replayed"), "true");
  assertError(await register("environment", two.id, api, key), 409, "conflict_error");
});

covers(["forward-query"], "list: invalid queries are rejected with 400", async () => {
  const { id } = await makeEnvironment(api);
  for (const [query, param] of [
    ["", "type"],
    ["?type=agent", "type"],
    ["?type=skill&limit=0", "limit"],
    ["?type=skill&limit=101", "limit"],
    ["?type=skill&page=x", "page"],
    [`?type=environment&after_id=${id}&before_id=${id}`, "before_id"],
  ] as const) {
    assertError(await api.get(RESOURCES + query), 400, "invalid_request_error", { param });
  }
});

covers(["forward-skipped"], "list: paging continues past deleted and archived resources", async () => {
  const own = await berth.client({ user: "pager@example.com" });
  const ids: string[] = [];
  for (let n = 0; n < 5; n++) ids.unshift((await makeEnvironment(own)).id);
  for (const id of ids.toReversed()) assert.equal((await register("environment", id, own)).status, 201);
  const [newest, second, third, fourth, oldest] = ids;
  await own.ok("DELETE", `/environments/${second}`);
  await own.ok("POST", `/environments/${third}/archive`);
  const walked: string[] = [];
  let after = "";
  for (let pages = 0; pages < 10; pages++) {
    const page = await own.ok("GET", `${RESOURCES}?type=environment&limit=1${after}`);
    walked.push(...page.data.map(({ id }: AnyJson) => id));
    if (!page.has_more) break;
    after = `&after_id=${page.last_id}`;
  }
  assert.deepEqual(walked, [newest, fourth, oldest]);
  const before = await own.ok("GET", `${RESOURCES}?type=environment&before_id=${second}`);
  assert.deepEqual(
    before.data.map(({ id }: AnyJson) => id),
    [newest],
  );
});

covers(["forward-pat"], "forward: only personal access tokens are accepted", async () => {
  const account = await berth.client({ kind: "sat" });
  const callers = [account, new Api(berth.url, null), new Api(berth.url, "berth_pat_x")];
  for (const caller of callers) {
    for (const response of [
      await caller.get(`${RESOURCES}?type=skill`),
      await register("skill", "skill_01h00000000000000000000000", caller),
    ]) {
      assertError(response, 401, "authentication_error");
      assert.equal(response.body.error.code, "authentication_required");
    }
  }
});
