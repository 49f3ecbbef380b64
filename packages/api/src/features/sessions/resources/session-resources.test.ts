// Subject: the routes of session resources.
import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { parseId } from "@berth/contract";
import { SecretBox } from "@berth/store/secrets";
import { type Caller, type TestApp, testApp, type Wire } from "../../../../test-support/http.ts";

const url = "https://github.com/octo/hello";
const secretKey = Buffer.alloc(32, 7);
const absent = { session: "sess_01h00000000000000000000000", file: "file_01h00000000000000000000000" };

interface House extends TestApp {
  owner: Caller;
  session(resources?: Wire[]): Promise<Wire>;
}

async function house(t: TestContext): Promise<House> {
  const app = await testApp(t, { secretKey });
  const owner = await app.caller();
  const agent = await owner.made("/agents", { name: "a", model: "rehearsal/steps" });
  const environment = await owner.made("/environments", { name: "e" });
  const session = (resources: Wire[] = []) =>
    owner.made("/sessions", { agent: agent.id, environment_id: environment.id, resources });
  return { ...app, owner, session };
}

describe("session resources", () => {
  test("add: a file at its default mount path or a given one", async (t) => {
    const { owner, session } = await house(t);
    const { id, updated_at: before } = await session();
    const [one, two] = [(await owner.upload("1")).body.id, (await owner.upload("2")).body.id];
    const added = await owner.made(`/sessions/${id}/resources`, {
      type: "file",
      file_id: one,
      mount_path: null,
    });
    const { id: resource, created_at: created, updated_at: updated, ...rest } = added;
    assert.match(resource, /^sesr_/);
    assert.equal(created, updated);
    assert.deepEqual(rest, { type: "file", file_id: one, mount_path: `/mnt/session/uploads/${one}` });
    await owner.made(`/sessions/${id}/resources`, { type: "file", file_id: two, mount_path: "/data/two" });
    const session_ = (await owner.get(`/sessions/${id}`)).body;
    assert.deepEqual(
      session_.resources.map(({ file_id: file }: Wire) => file),
      [one, two],
      "in the order of their making",
    );
    assert.ok(session_.updated_at >= before);
    assert.deepEqual(
      (await owner.get(`/sessions/${id}/resources`)).body.data,
      session_.resources.toReversed(),
    );
    assert.deepEqual((await owner.get(`/sessions/${id}/resources/${resource}`)).body, added);
  });

  test("add: each error has the documented status, type, message and param", async (t) => {
    const { owner, session, caller, db } = await house(t);
    const stranger = await caller({ email: "stranger@example.com" });
    const file = (await owner.upload("1")).body.id;
    const foreign = (await stranger.upload("2")).body.id;
    const pending = (await owner.upload("3", "pending")).body.id;
    await db.write.query({ text: "update files set status = 'pending' where filename = 'pending'" });
    const [open, archived, ended] = [await session(), await session(), await session()];
    await owner.post(`/sessions/${archived.id}/archive`);
    await owner.post(`/sessions/${ended.id}/terminate`);
    await owner.made(`/sessions/${open.id}/resources`, {
      type: "file",
      file_id: file,
      mount_path: "/data/in",
    });
    const other = (await owner.upload("4")).body.id;
    const cases = [
      [open.id, {}, 400, "invalid_request_error", "type", "Field 'type' is required."],
      [open.id, { type: "vault", url }, 400, "invalid_request_error", "type", "Field 'type' must be 'file'."],
      [open.id, { type: "file" }, 400, "invalid_request_error", "file_id", "Field 'file_id' is required."],
      [
        open.id,
        { type: "file", file_id: other, mount_path: "x" },
        400,
        "invalid_request_error",
        "mount_path",
        /absolute/,
      ],
      [
        open.id,
        { type: "file", file_id: other, mount_path: "/data/in/deep" },
        400,
        "invalid_request_error",
        "mount_path",
        /\/data\/in/,
      ],
      [absent.session, { type: "file", file_id: file }, 404, "not_found_error", undefined, /Session 'sess_/],
      ["nonsense", { type: "file", file_id: file }, 404, "not_found_error", undefined, /Session 'nonsense'/],
      [
        open.id,
        { type: "file", file_id: absent.file },
        404,
        "not_found_error",
        "file_id",
        new RegExp(absent.file),
      ],
      [open.id, { type: "file", file_id: foreign }, 403, "permission_error", undefined, /no access to file/],
      [archived.id, { type: "file", file_id: file }, 409, "invalid_request_error", undefined, /archived/],
      [ended.id, { type: "file", file_id: file }, 409, "invalid_request_error", undefined, /terminated/],
      [ended.id, { type: "file", file_id: absent.file }, 404, "not_found_error", "file_id", /does not exist/],
      [open.id, { type: "file", file_id: pending }, 409, "invalid_request_error", "file_id", /not ready/],
      [
        open.id,
        { type: "file", file_id: file, mount_path: "/data/b" },
        409,
        "invalid_request_error",
        "file_id",
        /mounted/,
      ],
    ] as const;
    for (const [id, body, status, type, param, message] of cases) {
      const reply = await owner.post(`/sessions/${id}/resources`, body);
      assert.deepEqual(
        [reply.status, reply.body.error.type, reply.body.error.param],
        [status, type, param],
        reply.text,
      );
      if (typeof message === "string") assert.equal(reply.body.error.message, message);
      else assert.match(reply.body.error.message, message);
    }
    assert.equal(
      (await stranger.post(`/sessions/${open.id}/resources`, { type: "file", file_id: foreign })).status,
      403,
    );
  });

  test("add: concurrent requests → mount paths never overlap", async (t) => {
    const { owner, session } = await house(t);
    const { id } = await session();
    const files = await Promise.all(
      Array.from({ length: 6 }, async (_, i) => (await owner.upload(`${i}`)).body.id),
    );
    const places = ["/data/x", "/data/x/y", "/data/x", "/data/x/y/z", "/data/other", "/data/x"];
    const replies = await Promise.all(
      files.map((file, i) =>
        owner.post(`/sessions/${id}/resources`, { type: "file", file_id: file, mount_path: places[i] }),
      ),
    );
    assert.deepEqual(replies.map(({ status }) => status).toSorted(), [200, 200, 400, 400, 400, 400]);
    const same = await Promise.all(
      Array.from({ length: 4 }, () =>
        owner.post(`/sessions/${id}/resources`, { type: "file", file_id: files[4] }),
      ),
    );
    assert.ok(same.every(({ status }) => status === 409));
  });

  test("list: pages; a cursor of another session → rejected", async (t) => {
    const { owner, session } = await house(t);
    const [one, two] = [
      await session([
        { type: "hosted_repository", url },
        { type: "hosted_repository", url },
      ]),
      await session(),
    ];
    const first = (await owner.get(`/sessions/${one.id}/resources?limit=1`)).body;
    assert.deepEqual([first.has_more, first.data[0].id], [true, one.resources[1].id]);
    const rest = await owner.get(`/sessions/${one.id}/resources?limit=1&page=${first.next_page}`);
    assert.deepEqual(rest.body.data, [one.resources[0]]);
    const foreign = await owner.get(`/sessions/${two.id}/resources?page=${first.next_page}`);
    assert.deepEqual([foreign.status, foreign.body.error.param], [400, "page"]);
    assert.equal((await owner.get(`/sessions/${absent.session}/resources`)).status, 404);
    const missing = await owner.get(`/sessions/${two.id}/resources/${one.resources[0].id}`);
    assert.deepEqual([missing.status, /Resource/.test(missing.body.error.message)], [404, true]);
    const nowhere = await owner.get(`/sessions/${absent.session}/resources/${one.resources[0].id}`);
    assert.match(nowhere.body.error.message, /Session/);
  });

  test("rotate: the new token is sealed for its row, and in no response", async (t) => {
    const { owner, session, db } = await house(t);
    const { id, resources } = await session([
      { type: "hosted_repository", url, authorization_token: "ghp_first" },
    ]);
    const [{ id: resource, ...repository }] = resources;
    const rotated = await owner.post(`/sessions/${id}/resources/${resource}`, {
      authorization_token: "ghp_second",
    });
    assert.equal(rotated.status, 200);
    assert.deepEqual(
      { ...rotated.body, updated_at: null },
      { id: resource, ...repository, updated_at: null },
    );
    assert.ok(!rotated.text.includes("ghp_"));
    const row = parseId("session_resource", resource) ?? "";
    const { rows } = await db.read.query<Wire>({ text: "select secret from session_resources" });
    const box = new SecretBox(secretKey);
    assert.equal(
      box.open({ table: "session_resources", row, column: "secret" }, rows[0].secret),
      "ghp_second",
    );
  });

  test("rotate: a wrong resource, field or state → the matching error", async (t) => {
    const { owner, session, caller } = await house(t);
    const stranger = await caller({ email: "stranger@example.com" });
    const file = (await owner.upload("1")).body.id;
    const make = () =>
      session([
        { type: "hosted_repository", url },
        { type: "file", file_id: file },
      ]);
    const [open, archived, ended] = [await make(), await make(), await make()];
    await owner.post(`/sessions/${archived.id}/archive`);
    await owner.post(`/sessions/${ended.id}/terminate`);
    const token = { authorization_token: "x" };
    const path = ({ id, resources }: Wire, index = 0) => `/sessions/${id}/resources/${resources[index].id}`;
    for (const [target, body, status, type, param] of [
      [path(open), {}, 400, "invalid_request_error", "authorization_token"],
      [path(open), { authorization_token: "" }, 400, "invalid_request_error", "authorization_token"],
      [path(open), { authorization_token: "a\nb" }, 400, "invalid_request_error", "authorization_token"],
      [path(open), { ...token, url }, 400, "invalid_request_error", "url"],
      [path(open, 1), token, 400, "invalid_request_error", "resource_id"],
      [
        `/sessions/${open.id}/resources/${archived.resources[0].id}`,
        token,
        404,
        "not_found_error",
        undefined,
      ],
      [path(archived), token, 403, "permission_error", undefined],
      [path(ended), token, 409, "conflict_error", undefined],
    ] as const) {
      const reply = await owner.post(target, body);
      assert.deepEqual(
        [reply.status, reply.body.error.type, reply.body.error.param],
        [status, type, param],
        reply.text,
      );
    }
    assert.equal((await stranger.post(path(open), token)).status, 403);
  });
});
