// Subject: sharing of each kind of object, for each relation of a caller to it.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Caller, type TestApp, testApp, type Wire } from "../../../test-support/http.ts";
import { postSkill } from "../../../test-support/skills.ts";

const RELATIONS = [
  "owner",
  "admin",
  "reader",
  "writer",
  "member",
  "service account",
  "other organization",
] as const;
type Relation = (typeof RELATIONS)[number];

/** Status of a read, and of a change, for each relation to a private object that two users were given. */
const PRIVATE: Record<Relation, [number, number]> = {
  owner: [200, 200],
  admin: [200, 200],
  reader: [200, 403],
  writer: [200, 200],
  member: [403, 403],
  "service account": [403, 403],
  "other organization": [403, 403],
};

const email = (relation: Relation) => `${relation.replaceAll(" ", "-")}@example.com`;

async function people({ caller, db }: TestApp): Promise<Record<Relation, Caller>> {
  const of = (relation: Relation) =>
    caller({
      email: email(relation),
      org: relation === "other organization" ? "other" : "acme",
      ...(relation === "service account" ? { kind: "sat" as const } : {}),
    });
  const pairs: [Relation, Caller][] = [];
  for (const relation of RELATIONS) pairs.push([relation, await of(relation)]);
  await db.write.query({
    text: "update users set role = 'admin' where email = $1",
    values: [email("admin")],
  });
  return Object.fromEntries(pairs) as Record<Relation, Caller>;
}

interface Kind {
  path: string;
  make(owner: Caller): Promise<Wire>;
  change(caller: Caller, object: Wire): Promise<{ status: number }>;
}

const sessionParts = async (owner: Caller, extra: object = {}) => ({
  agent: (await owner.made("/agents", { name: "a", model: "rehearsal/steps" })).id,
  environment_id: (await owner.made("/environments", { name: `e${Math.random()}` })).id,
  ...extra,
});
const message = { type: "user.message", content: [{ type: "text", text: "Hello." }] };

const KINDS: Record<string, Kind> = {
  agent: {
    path: "/agents",
    make: (owner) => owner.made("/agents", { name: "a", model: "rehearsal/steps" }),
    async change(caller, { id }) {
      const { body } = await caller.get(`/agents/${id}`);
      return await caller.post(`/agents/${id}`, { version: body.version ?? 1, name: "b" });
    },
  },
  environment: {
    path: "/environments",
    make: (owner) => owner.made("/environments", { name: `e${Math.random()}` }),
    change: (caller, { id }) => caller.post(`/environments/${id}`, { description: "d" }),
  },
  skill: {
    path: "/skills",
    make: async (owner) => (await postSkill(owner, `s${Math.random()}`.replace(".", "-"))).body,
    change: (caller, { id }) => caller.post(`/skills/${id}`, { display_title: "t" }),
  },
  vault: {
    path: "/vaults",
    make: (owner) => owner.made("/vaults", { display_name: "v" }),
    change: (caller, { id }) => caller.post(`/vaults/${id}`, { display_name: "w" }),
  },
  "memory store": {
    path: "/memory_stores",
    make: (owner) => owner.made("/memory_stores", { name: "m" }),
    change: (caller, { id }) => caller.post(`/memory_stores/${id}`, { description: "d" }),
  },
  deployment: {
    path: "/deployments",
    make: async (owner) =>
      owner.made("/deployments", { name: "d", ...(await sessionParts(owner)), initial_events: [message] }),
    change: (caller, { id }) => caller.post(`/deployments/${id}/pause`),
  },
  session: {
    path: "/sessions",
    make: async (owner) => owner.made("/sessions", await sessionParts(owner)),
    change: (caller, { id }) => caller.post(`/sessions/${id}/events`, { events: [message] }),
  },
};

const ids = async (caller: Caller, path: string): Promise<string[]> => {
  const { status, body } = await caller.get(path);
  assert.equal(status, 200, path);
  return body.data.map(({ id }: Wire) => id);
};

describe("sharing", () => {
  for (const [name, { path, make, change }] of Object.entries(KINDS)) {
    test(`${name}: private, shared with users, with the organization, and with nobody again`, async (t) => {
      const who = await people(await testApp(t));
      const object = await make(who.owner);
      const at = `${path}/${object.id}`;
      const expectAll = async (expected: Record<Relation, [number, number]>, when: string) => {
        for (const relation of RELATIONS) {
          const caller = who[relation];
          const [read, changed] = expected[relation];
          const label = `${name}, ${when}, ${relation}`;
          assert.equal((await caller.get(at)).status, read, `read ${label}`);
          assert.equal((await change(caller, object)).status, changed, `change ${label}`);
          assert.equal((await caller.get(`${at}/shares`)).status, read, `shares ${label}`);
          assert.deepEqual(
            await ids(caller, path).then((all) => all.includes(object.id)),
            read === 200,
            `list ${label}`,
          );
          assert.equal(
            (await ids(caller, `${path}?shared_with_me=true`)).includes(object.id),
            read === 200 &&
              relation !== "owner" &&
              (relation !== "admin" || when === "given to the organization"),
            `shared_with_me ${label}`,
          );
          if (relation === "owner" || relation === "admin") continue;
          for (const [method, where] of [
            ["post", `${at}/share`],
            ["delete", `${at}/share`],
            ["post", `${at}/archive`],
            // A deployment cannot be deleted.
            ...(name === "deployment" ? [] : [["delete", at] as const]),
          ] as const)
            assert.equal(
              (await caller[method](where, ...(method === "post" ? [{}] : []))).status,
              403,
              `${method} ${where} ${label}`,
            );
        }
      };
      const nobody = { ...PRIVATE, reader: [403, 403], writer: [403, 403] } as typeof PRIVATE;
      assert.equal(object.visibility, "private");
      for (const relation of RELATIONS.slice(2))
        assert.equal((await who[relation].get(at)).status, 403, `${name}, never shared, ${relation}`);

      await who.owner.made(`${at}/share`, { user: email("reader") });
      const { body: writer } = await who.writer.get("/whoami");
      const shares = await who.admin.made(`${at}/share`, { user: writer.principal.id, access: "write" });
      assert.deepEqual(
        shares.data.map((share: Wire) => [share.with.type, share.with.name, share.access]),
        [
          ["user", email("reader"), "read"],
          ["user", email("writer"), "write"],
        ],
      );
      assert.deepEqual(
        [shares.visibility, shares.owner.name, shares.your_access],
        ["private", email("owner"), "own"],
      );
      assert.equal((await who.writer.get(`${at}/shares`)).body.your_access, "write");
      await expectAll(PRIVATE, "given to users");

      const open = await who.owner.made(`${at}/share`, {});
      assert.deepEqual([open.visibility, open.data[0].with.type], ["organization", "organization"]);
      assert.equal((await who.member.get(at)).body.visibility, "organization");
      await expectAll(
        { ...PRIVATE, member: [200, 403], "service account": [200, 403] },
        "given to the organization",
      );

      await who.owner.delete(`${at}/share`);
      for (const relation of ["reader", "writer"] as const)
        assert.equal((await who.owner.delete(`${at}/share?user=${email(relation)}`)).status, 200);
      await expectAll(nobody, "given to nobody");
    });
  }

  test("file: shared with the organization → its members read the content, and only its owner deletes it", async (t) => {
    const who = await people(await testApp(t));
    const { body: file } = await who.owner.upload("content");
    const at = `/files/${file.id}`;
    assert.equal((await who.member.get(`${at}/content`)).status, 403);
    await who.owner.made(`${at}/share`, {});
    assert.equal((await who.member.get(`${at}/content`)).text, "content");
    assert.deepEqual(await ids(who.member, "/files"), [file.id]);
    assert.deepEqual(await ids(who.member, `/files?ids[]=${file.id}`), [file.id]);
    assert.equal((await who.member.delete(at)).status, 403);
    await who.owner.delete(`${at}/share`);
    assert.deepEqual(await ids(who.member, `/files?ids[]=${file.id}`), []);
    assert.equal((await who.owner.delete(at)).status, 200);
  });

  test("session: `write` for the organization; everything else of it for its owner and admins", async (t) => {
    const who = await people(await testApp(t));
    const session = await who.owner.made("/sessions", await sessionParts(who.owner));
    const at = `/sessions/${session.id}`;
    await who.owner.made(`${at}/share`, { access: "write" });
    assert.equal((await who.member.post(`${at}/events`, { events: [message] })).status, 200);
    assert.equal((await who.member.post(`${at}/cancel`)).status, 200);
    const { body: file } = await who.reader.upload("content");
    const added = () => who.member.post(`${at}/resources`, { type: "file", file_id: file.id });
    assert.equal((await added()).status, 403);
    await who.reader.made(`/files/${file.id}/share`, { user: email("member") });
    assert.equal((await added()).status, 200);
    for (const path of ["", "/terminate", "/release", "/archive", "/share"])
      assert.equal((await who.member.post(`${at}${path}`, {})).status, 403, path);
    const { status, body } = await who.member.delete(at);
    assert.deepEqual(
      [status, body.error.message],
      [
        403,
        `The token may read session '${session.id}', but not do this with it. Its owner is ${email("owner")}.`,
      ],
    );
    await who.owner.made(`${at}/share`, { access: "read" });
    assert.equal((await who.member.post(`${at}/events`, { events: [message] })).status, 403);
  });

  test("a stranger is told whom to ask, and another organization is not", async (t) => {
    const who = await people(await testApp(t));
    const { id } = await who.owner.made("/agents", { name: "a", model: "rehearsal/steps" });
    const told = async (caller: Caller) => (await caller.get(`/agents/${id}`)).body.error.message;
    assert.equal(
      await told(who.member),
      `The token has no access to agent '${id}'. Ask its owner, ${email("owner")}, to share it.`,
    );
    assert.equal(await told(who["other organization"]), `The token has no access to agent '${id}'.`);
  });

  test("what members share is used by others: agent, environment, vault, store and file of a session", async (t) => {
    const who = await people(await testApp(t));
    const parts = await sessionParts(who.owner);
    const vault = await who.owner.made("/vaults", { display_name: "v" });
    const store = await who.owner.made("/memory_stores", { name: "m" });
    const { body: file } = await who.owner.upload("content");
    const mounts = (access: string) => [
      { type: "memory_store", memory_store_id: store.id, access },
      { type: "file", file_id: file.id },
    ];
    const body = { ...parts, vault_ids: [vault.id], resources: mounts("read_only") };
    for (const path of [
      `/agents/${parts.agent}`,
      `/environments/${parts.environment_id}`,
      `/vaults/${vault.id}`,
      `/memory_stores/${store.id}`,
      `/files/${file.id}`,
    ]) {
      assert.equal((await who.member.post("/sessions", body)).status, 403, `before ${path}`);
      await who.owner.made(`${path}/share`, {});
    }
    const session = await who.member.made("/sessions", body);
    assert.deepEqual([session.visibility, session.vault_ids], ["private", [vault.id]]);
    // Reading a store is shared, writing into it is not.
    const writing = await who.member.post("/sessions", { ...parts, resources: mounts("read_write") });
    assert.equal(writing.status, 403);
    // A vault is there to be used, not to be read.
    assert.equal((await who.member.get(`/vaults/${vault.id}/credentials`)).status, 403);
    assert.equal((await who.owner.get(`/sessions/${session.id}`)).status, 403);
  });

  test("a vault that is shared no more is taken from the sessions of others, and of nobody else", async (t) => {
    const who = await people(await testApp(t));
    const vault = await who.owner.made("/vaults", { display_name: "v" });
    const at = `/vaults/${vault.id}/share`;
    await who.owner.made(at, {});
    await who.owner.made(at, { user: email("reader") });
    const sessionOf = async (caller: Caller) =>
      (await caller.made("/sessions", await sessionParts(caller, { vault_ids: [vault.id] }))).id;
    const made = new Map<Relation, string>();
    for (const relation of ["owner", "admin", "reader", "member", "service account"] as const)
      made.set(relation, await sessionOf(who[relation]));
    const holders = async () => {
      const kept: Relation[] = [];
      for (const [relation, id] of made)
        if ((await who[relation].get(`/sessions/${id}`)).body.vault_ids.length > 0) kept.push(relation);
      return kept;
    };
    await who.owner.delete(at);
    assert.deepEqual(await holders(), ["owner", "admin", "reader"]);
    await who.owner.delete(`${at}?user=${email("reader")}`);
    assert.deepEqual(await holders(), ["owner", "admin"]);
  });

  test("the default of an organization, and what a request says, decide about what its users make", async (t) => {
    const app = await testApp(t);
    const who = await people(app);
    const operator = await app.operator();
    const [acme] = (await operator.get("/api/v1/admin/organizations?name=acme")).body.data;
    assert.equal(acme.default_visibility, "private");
    const admin = `/api/v1/admin/organizations/${acme.id}`;
    const changed = await operator.post(admin, { default_visibility: "organization" });
    assert.deepEqual([changed.body.name, changed.body.default_visibility], ["acme", "organization"]);
    app.app.recentTokens.clear();
    const agent = await who.owner.made("/agents", { name: "a", model: "rehearsal/steps" });
    const vault = await who.owner.made("/vaults", { display_name: "v", visibility: "private" });
    assert.deepEqual([agent.visibility, vault.visibility], ["organization", "private"]);
    assert.equal((await who.member.get(`/agents/${agent.id}`)).status, 200);
    assert.equal((await who.member.get(`/vaults/${vault.id}`)).status, 403);
    assert.equal((await who.owner.upload("x")).body.visibility, "organization");
    const robot = await who["service account"].made("/vaults", { display_name: "v", visibility: "private" });
    assert.equal(robot.visibility, "organization");
  });

  test("bad input: one sentence each, and nothing is shared", async (t) => {
    const who = await people(await testApp(t));
    const { id } = await who.owner.made("/agents", { name: "a", model: "rehearsal/steps" });
    const { body: me } = await who.owner.get("/whoami");
    const { body: foreign } = await who["other organization"].get("/whoami");
    const refused = async (given: object) => {
      const { status, body } = await who.owner.post(`/agents/${id}/share`, given);
      return [status, body.error.param, body.error.message];
    };
    for (const user of [email("other organization"), foreign.principal.id, "nobody@example.com", "x"])
      assert.deepEqual(await refused({ user }), [
        400,
        "user",
        `The organization has no active user '${user}'.`,
      ]);
    assert.deepEqual(await refused({ user: me.principal.id }), [
      400,
      "user",
      `'${me.principal.id}' is its owner.`,
    ]);
    assert.deepEqual(await refused({ access: "write" }), [
      400,
      "access",
      "The whole organization can have 'read' only. Name the users who may change it.",
    ]);
    assert.equal((await refused({ access: "own" }))[0], 400);
    const robots = await who["service account"].made("/vaults", { display_name: "v" });
    const whole = await who.owner.post(`/vaults/${robots.id}/share`, {});
    assert.deepEqual(
      [whole.status, whole.body.error.message],
      [400, "It belongs to the organization, so all its members have it already."],
    );
    assert.deepEqual((await who.owner.get(`/agents/${id}/shares`)).body.data, []);
    assert.equal((await who.owner.delete(`/agents/${id}/share?user=${email("reader")}`)).status, 200);
  });

  test("a deleted object, and a deleted user, leave no share", async (t) => {
    const app = await testApp(t);
    const who = await people(app);
    const count = async () =>
      (await app.db.read.query<{ n: number }>({ text: "select count(*)::integer as n from shares" })).rows[0]
        ?.n;
    const vault = await who.owner.made("/vaults", { display_name: "v" });
    await who.owner.made(`/vaults/${vault.id}/share`, { user: email("reader") });
    assert.equal(await count(), 1);
    await who.owner.delete(`/vaults/${vault.id}`);
    assert.equal(await count(), 0);
  });
});
