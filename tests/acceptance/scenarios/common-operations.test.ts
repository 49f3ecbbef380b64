import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { type AnyJson, assertError, type Json } from "../harness/api.ts";
import { covers } from "../harness/covers.ts";
import { makeAgent, makeEnvironment, makeFile, makeSession, makeSkill } from "../harness/fixtures.ts";
import { sharedService } from "../harness/shared-service.ts";

interface ResourceType {
  /** The name in `<name>_deleted`. */
  name: string;
  /** Creates an object; `list` is the path of its list. */
  make(): Promise<{ object: AnyJson; list: string }>;
  /** Returns the fields that an update requires besides metadata; absent without an update. */
  update?: (object: AnyJson) => Record<string, Json>;
  archivable: boolean;
}

const { api } = await sharedService();

const noFields = () => ({});
const RESOURCE_TYPES: ResourceType[] = [
  {
    name: "agent",
    make: async () => ({ object: await makeAgent(api), list: "/agents" }),
    update: ({ version }) => ({ version }),
    archivable: true,
  },
  {
    name: "environment",
    make: async () => ({ object: await makeEnvironment(api), list: "/environments" }),
    update: noFields,
    archivable: true,
  },
  {
    name: "session",
    make: async () => ({ object: await makeSession(api), list: "/sessions" }),
    update: noFields,
    archivable: true,
  },
  {
    name: "file",
    make: async () => ({ object: await makeFile(api, randomUUID()), list: "/files" }),
    archivable: false,
  },
  {
    name: "skill",
    make: async () => ({ object: await makeSkill(api, `s-${randomUUID()}`), list: "/skills" }),
    update: noFields,
    archivable: true,
  },
  {
    name: "vault",
    make: async () => ({ object: await makeVault(), list: "/vaults" }),
    update: noFields,
    archivable: true,
  },
  {
    name: "vault_credential",
    make: async () => {
      const list = `/vaults/${(await makeVault()).id}/credentials`;
      const auth = { type: "static_bearer", mcp_server_url: "https://mcp.example", token: "a-token" };
      return { object: await api.ok("POST", list, { auth }), list };
    },
    update: noFields,
    archivable: true,
  },
  {
    name: "memory_store",
    make: async () => ({ object: await makeStore(), list: "/memory_stores" }),
    update: noFields,
    archivable: true,
  },
  {
    name: "memory",
    make: async () => {
      const list = `/memory_stores/${(await makeStore()).id}/memories`;
      return { object: await api.ok("POST", list, { path: "/a", content: "x" }), list };
    },
    archivable: false,
  },
];

const makeVault = () => api.ok("POST", "/vaults", { display_name: "keys" });
const makeStore = () => api.ok("POST", "/memory_stores", { name: "notes" });

covers(["noun-metadata"], "metadata: every resource type has the same patch rules and limits", async () => {
  for (const { name, make, update } of RESOURCE_TYPES) {
    if (update === undefined) continue;
    const { object, list } = await make();
    const path = `${list}/${object.id}`;
    const patch = async (metadata: Json) =>
      api.post(path, { ...update(await api.ok("GET", path)), metadata });
    const patched = async (metadata: Json) => (await patch(metadata)).body.metadata;
    assert.deepEqual(object.metadata, {}, name);
    assert.deepEqual(await patched({ a: "1", b: "2" }), { a: "1", b: "2" }, name);
    assert.deepEqual(await patched({ a: null, c: "3" }), { b: "2", c: "3" }, name);
    assert.deepEqual(await patched({}), { b: "2", c: "3" }, name);
    const key = "k".repeat(64);
    assert.deepEqual(await patched({ b: null, c: null, [key]: "v".repeat(512) }), { [key]: "v".repeat(512) });
    const many = Object.fromEntries(Array.from({ length: 16 }, (_, index) => [`k${index}`, "v"]));
    for (const [bad, param] of [
      [{ n: 1 }, "metadata.n"],
      [{ [`${key}k`]: "v" }, `metadata.${key}k`],
      [{ n: "v".repeat(513) }, "metadata.n"],
      [many, "metadata"],
      ["text", "metadata"],
      [["a"], "metadata"],
    ] as const) {
      assertError(await patch(bad), 400, "invalid_request_error", { param });
    }
    assert.equal(Object.keys(await patched({ ...many, [key]: null })).length, 16, name);
    assert.deepEqual(await patched(null), {}, name);
    assert.equal((await api.ok("GET", path)).id, object.id);
  }
});

covers(
  ["noun-archive"],
  "archive: permanent; the object can be read, not changed, and is listed only on request",
  async () => {
    for (const { name, make, update, archivable } of RESOURCE_TYPES) {
      if (!archivable) continue;
      const { object, list } = await make();
      const path = `${list}/${object.id}`;
      assert.equal(object.archived_at, null, name);
      assertError(await api.post(`${path}/archive`, { now: true }), 400, "invalid_request_error", {
        param: "now",
      });
      const { archived_at: first } = await api.ok("POST", `${path}/archive`);
      assert.match(first, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      assert.equal((await api.ok("POST", `${path}/archive`, {})).archived_at, first, name);
      assert.equal((await api.ok("GET", path)).archived_at, first, name);
      const body = { ...update?.(await api.ok("GET", path)), metadata: { a: "b" } };
      assertError(await api.post(path, body), 403, "permission_error", { message: /archived/ });
      const listed = async (query: string) =>
        (await api.ok("GET", `${list}?limit=100${query}`)).data.some(({ id }: AnyJson) => id === object.id);
      const seen = [
        await listed(""),
        await listed("&include_archived=false"),
        await listed("&include_archived=true"),
      ];
      assert.deepEqual(seen, [false, false, true], name);
      assert.equal((await api.delete(path)).status, 200, `an archived ${name} can be deleted`);
    }
  },
);

covers(
  ["noun-delete", "idempotency-replay"],
  "delete: returns id and type, also to a repeated key, and the object is 404 afterwards",
  async () => {
    for (const { name, make } of RESOURCE_TYPES) {
      const { object, list } = await make();
      const path = `${list}/${object.id}`;
      assert.deepEqual(
        await api.ok("GET", path),
        { ...object, ...timeDependent(await api.ok("GET", path)) },
        name,
      );
      assertError(await api.delete(`${path}?force=true`), 400, "invalid_request_error", { param: "force" });
      const headers = { "idempotency-key": randomUUID() };
      const deleted = await api.delete(path, { headers });
      assert.deepEqual([deleted.status, deleted.body], [200, { id: object.id, type: `${name}_deleted` }]);
      const again = await api.delete(path, { headers });
      assert.deepEqual([again.status, again.body], [200, deleted.body]);
      assert.equal(again.headers.get("idempotency-replayed"), "true", name);
      for (const response of [await api.delete(path), await api.get(path)]) {
        assertError(response, 404, "not_found_error", {
          message: new RegExp(`'${object.id}' does not exist`),
        });
      }
      const { data } = await api.ok("GET", `${list}?limit=100`);
      assert.ok(!data.some(({ id }: AnyJson) => id === object.id), name);
    }
  },
);

/** Returns the fields of a session that change with time. */
function timeDependent({ stats }: AnyJson): { stats?: AnyJson } {
  return stats === undefined ? {} : { stats };
}
