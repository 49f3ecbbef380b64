import assert from "node:assert/strict";
import { type AnyJson, type ApiResponse, assertError } from "../harness/api.ts";
import { covers } from "../harness/covers.ts";
import { makeSession, steps } from "../harness/fixtures.ts";
import { sharedService } from "../harness/shared-service.ts";

const { berth, api } = await sharedService();

const AGENT = { name: "once", model: "rehearsal/steps" };

function keyed(key: string): { headers: Record<string, string> } {
  return { headers: { "idempotency-key": key } };
}

function replayed(response: ApiResponse): string | null {
  return response.headers.get("idempotency-replayed");
}

covers(["idempotency-replay"], "repeated request: runs once, and the response is replayed", async () => {
  const { id } = await makeSession(api);
  const send = () =>
    api.post(`/sessions/${id}/events`, { events: [steps({ say: "hello" })] }, keyed("an-event"));
  const [first, again] = [await send(), await send()];
  assert.deepEqual(again.body, first.body);
  assert.deepEqual([replayed(first), replayed(again)], [null, "true"]);
  const messages = (await api.ok("GET", `/sessions/${id}/events?types[]=user.message`)).data;
  assert.equal(messages.length, 1);

  const token = await api.post("/tokens", { name: "once" }, keyed("a-token"));
  assert.deepEqual((await api.post("/tokens", { name: "once" }, keyed("a-token"))).body, token.body);

  const remove = () => api.delete(`/tokens/${token.body.id}`, keyed("a-deletion"));
  assert.deepEqual((await remove()).body, (await remove()).body);

  await api.ok("POST", "/environments", { name: "taken" });
  const rejected = await api.post("/environments", { name: "taken" }, keyed("a-refusal"));
  assertError(rejected, 409, "conflict_error");
  const repeated = await api.post("/environments", { name: "taken" }, keyed("a-refusal"));
  assert.deepEqual([repeated.body, replayed(repeated)], [rejected.body, "true"]);
  assert.equal(repeated.headers.get("x-should-retry"), "false");

  const upload = () => {
    const form = new FormData();
    form.set("file", new Blob(["content"]), "once.txt");
    return api.call("POST", "/files", undefined, { raw: form, ...keyed("an-upload") });
  };
  const [file, twice] = [await upload(), await upload()];
  assert.deepEqual([file.status, twice.body, replayed(twice)], [200, file.body, "true"]);
  const other = await berth.client({ user: "other@example.com" });
  const theirs = await other.post("/tokens", { name: "once" }, keyed("a-token"));
  assert.notEqual(theirs.body.id, token.body.id);
});

covers(
  ["idempotency-token"],
  "key of another token of the same user: neither its response nor its refusal",
  async () => {
    const narrow = await berth.client({ scopes: "tokens:write" });
    const ask = (caller: typeof api) =>
      caller.post("/tokens", { name: "child", scopes: ["*"] }, keyed("shared"));
    assertError(await ask(narrow), 403, "permission_error");
    const made = await ask(api);
    assert.deepEqual([made.status, replayed(made)], [200, null]);
    const refused = await ask(narrow);
    assertError(refused, 403, "permission_error");
    assert.equal(replayed(refused), null);
    assert.deepEqual((await ask(api)).body, made.body);
  },
);

covers(["idempotency-reused"], "reused key: another request is rejected with 409", async () => {
  await api.post("/agents", AGENT, keyed("reused"));
  for (const response of [
    await api.post("/agents", { ...AGENT, name: "other" }, keyed("reused")),
    await api.post("/environments", { name: "once" }, keyed("reused")),
    await api.delete("/agents/agent_01h00000000000000000000000", keyed("reused")),
  ]) {
    assertError(response, 409, "conflict_error", { param: "Idempotency-Key" });
  }
});

covers(
  ["idempotency-reused"],
  "reused key: the same request for another object is rejected with 409",
  async () => {
    const create = async () => (await api.ok("POST", "/agents", AGENT)).id;
    const [first, second] = [await create(), await create()];
    const archive = (id: string, key: string) => api.post(`/agents/${id}/archive`, undefined, keyed(key));
    assert.equal((await archive(first, "archive")).status, 200);
    assertError(await archive(second, "archive"), 409, "conflict_error", { param: "Idempotency-Key" });
    assert.equal((await api.ok("GET", `/agents/${second}`)).archived_at, null);
    assert.equal((await archive(second, "archive-second")).status, 200);
    const remove = (id: string) => api.delete(`/environments/${id}`, keyed("removal"));
    const [one, two] = await Promise.all(
      ["one", "two"].map(async (name) => (await api.ok("POST", "/environments", { name })).id),
    );
    assert.equal((await remove(one)).status, 200);
    assertError(await remove(two), 409, "conflict_error", { param: "Idempotency-Key" });
    assert.equal((await api.get(`/environments/${two}`)).status, 200);
  },
);

covers(["idempotency-parallel"], "concurrent requests: 32 with one key create one object", async () => {
  const create = () => api.post("/agents", { ...AGENT, name: "parallel" }, keyed("parallel"));
  const responses = await Promise.all(Array.from({ length: 32 }, create));
  const done = responses.filter(({ status }) => status === 200);
  assert.equal(new Set(done.map(({ body }) => body.id)).size, 1);
  for (const response of responses.filter(({ status }) => status !== 200)) {
    assertError(response, 409, "conflict_error");
    assert.ok(response.headers.has("retry-after"));
    assert.notEqual(response.headers.get("x-should-retry"), "false");
  }
  assert.deepEqual((await create()).body, done[0]?.body);
  const { data } = await api.ok("GET", "/agents?limit=100");
  assert.equal(data.filter(({ name }: AnyJson) => name === "parallel").length, 1);
});

covers(["beta-gate"], "beta feature: 501 without its identifier in berth-beta", async () => {
  const { id } = await makeSession(api);
  const beta = (value: string) => ({ headers: { "berth-beta": value } });
  const define = (header: Record<string, Record<string, string>> = {}) =>
    api.post(`/sessions/${id}/events`, { events: [{ type: "user.define_outcome" }] }, header);
  const threads = (header: Record<string, Record<string, string>> = {}) =>
    api.get(`/sessions/${id}/threads`, header);
  for (const [feature, ask] of [
    ["outcomes", define],
    ["threads", threads],
  ] as const) {
    const available = `${feature}-2026-11-20`;
    for (const response of [
      await ask(),
      await ask(beta("")),
      await ask(beta(`${feature}-2026-01-01, nobody-knows-this`)),
    ]) {
      const { status, body, headers } = response;
      assert.equal(status, 501);
      assert.deepEqual(body, {
        type: "error",
        request_id: headers.get("x-request-id"),
        error: { type: "feature_not_available", feature, available_from: available },
      });
      assert.equal(headers.get("x-should-retry"), "false");
    }
    const activated = await ask(beta(`nobody-knows-this, ${available}`));
    assertError(activated, 400, "invalid_request_error", {
      message: /not available in this version of Berth/,
    });
  }
  assert.equal((await api.get("/agents", beta("x".repeat(2_000)))).status, 200);
});
