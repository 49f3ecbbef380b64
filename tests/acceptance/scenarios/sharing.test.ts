import assert from "node:assert/strict";
import { type AnyJson, type Api, assertError } from "../harness/api.ts";
import { covers } from "../harness/covers.ts";
import {
  bash,
  makeAgent,
  makeEnvironment,
  makeSession,
  runTurn,
  skillForm,
  steps,
} from "../harness/fixtures.ts";
import { sharedService } from "../harness/shared-service.ts";
import { readFrames } from "../harness/stream.ts";
import { waitUntil } from "../harness/wait-until.ts";

const { berth, api } = await sharedService();

/** Returns another member of the organization, with the id by which objects are shared with them. */
async function colleague(): Promise<{ client: Api; user: string }> {
  users += 1;
  const client = await berth.client({ user: `colleague${users}@example.com` });
  return { client, user: (await client.ok("GET", "/whoami")).principal.id };
}
let users = 0;

function fileForm(name: string): FormData {
  const form = new FormData();
  form.set("file", new Blob([name]), name);
  return form;
}

covers(
  ["sharing-session"],
  "a session is followed and read, then written to; taken back, requests are refused and the follower is cut off",
  async () => {
    const { client, user } = await colleague();
    const session = await makeSession(api);
    const at = `/sessions/${session.id}`;
    await runTurn(api, session.id, bash("echo made >/data/made.txt; echo out >/mnt/session/outputs/out.txt"));
    const events = { events: [steps({ say: "More." })] };
    assert.equal((await client.get(at)).status, 403);

    await api.ok("POST", `${at}/share`, { user });
    const seen = async (path: string) => await client.ok("GET", path);
    assert.deepEqual(
      (await seen(`${at}/events?limit=100`)).data,
      (await api.ok("GET", `${at}/events?limit=100`)).data,
    );
    const listed: AnyJson[] = (await seen(`${at}/workspace?path=/data`)).data;
    assert.ok(listed.some(({ name }) => name === "made.txt"));
    const [output] = (await seen(`/files?scope_id=${session.id}`)).data;
    assert.equal(output.filename, "out.txt");
    assert.equal((await client.get(`/files/${output.id}/content`)).status, 200);
    assert.equal((await client.post(`${at}/events`, events)).status, 403);

    await api.ok("POST", `${at}/share`, { user, access: "write" });
    const frames: string[] = [];
    const opened = Promise.withResolvers<void>();
    const following = (async () => {
      for await (const { event } of readFrames(client, session.id, { onOpen: () => opened.resolve() }))
        frames.push(event);
    })();
    await opened.promise;
    await runTurn(client, session.id, { say: "Said for a colleague." });
    await api.ok("DELETE", `${at}/share?user=${user}`);
    for (const path of [at, `${at}/events`, `${at}/workspace`, `/files/${output.id}`])
      assert.equal((await client.get(path)).status, 403, path);
    assert.equal((await client.post(`${at}/events`, events)).status, 403);
    await following;
    assert.ok(frames.includes("agent.message"), frames.join());
    assert.equal((await api.get(at)).status, 200);
  },
);

covers(
  ["sharing-used"],
  "a colleague's session runs with a shared agent, environment and vault, and lacks the secret once the vault is taken back",
  async () => {
    const { client } = await colleague();
    const [agent, environment] = [await makeAgent(api), await makeEnvironment(api)];
    const vault = await api.ok("POST", "/vaults", { display_name: "keys" });
    await api.ok("POST", `/vaults/${vault.id}/credentials`, {
      auth: {
        type: "environment_variable",
        secret_name: "SHARED_KEY",
        secret_value: "the value of a colleague",
        networking: { allowed_hosts: ["api.example.com"] },
      },
    });
    const body = { agent: agent.id, environment_id: environment.id, vault_ids: [vault.id] };
    const paths = [`/agents/${agent.id}`, `/environments/${environment.id}`, `/vaults/${vault.id}`];
    for (const path of paths) {
      assert.equal((await client.post("/sessions", body)).status, 403, path);
      await api.ok("POST", `${path}/share`, {});
    }
    const session = await client.ok("POST", "/sessions", body);
    assert.equal((await api.get(`/sessions/${session.id}`)).status, 403);
    const has = bash('if [ -n "$SHARED_KEY" ]; then echo has a key; else echo has no key; fi');
    const said = async () => {
      const log: AnyJson[] = await runTurn(client, session.id, has);
      return JSON.stringify(log.filter(({ type }) => type === "agent.tool_result"));
    };
    assert.match(await said(), /has a key/);
    await api.ok("DELETE", `/vaults/${vault.id}/share`);
    assert.deepEqual((await client.ok("GET", `/sessions/${session.id}`)).vault_ids, []);
    assert.match(await said(), /has no key/);
  },
);

covers(
  ["session-search"],
  "a session is found by what was said in it, by who may see it and by nobody else",
  async () => {
    const { client, user } = await colleague();
    const word = `semaphore${Date.now()}`;
    const session = await makeSession(api, { title: "Flaky upload" });
    await runTurn(api, session.id, { say: `The ${word} was released twice.` });
    const found = async (caller: Api, words: string): Promise<string[]> =>
      (await caller.ok("GET", `/sessions?sort=updated_at&search=${encodeURIComponent(words)}`)).data.map(
        ({ id }: AnyJson) => id,
      );
    await waitUntil(
      async () => (await found(api, `flaky ${word}`)).length === 1,
      () => "what was said is not found",
    );
    assert.deepEqual(await found(client, word), []);
    await api.ok("POST", `/sessions/${session.id}/share`, { user });
    assert.deepEqual(await found(client, `${word.slice(0, 14)} released`), [session.id]);
    await api.ok("DELETE", `/sessions/${session.id}/share?user=${user}`);
    assert.deepEqual(await found(client, word), []);
  },
);

covers(
  ["sharing-default"],
  "the default of an organization, and what requests say, decide who sees new objects",
  async () => {
    const org = "Open by default";
    const operator = await berth.operator();
    const owner = await berth.client({ org, user: "open@example.com" });
    const member = await berth.client({ org, user: "member-of-open@example.com" });
    const make = (fields: object) => owner.ok("POST", "/vaults", { display_name: "v", ...fields });
    const readable = async ({ id }: AnyJson) => (await member.get(`/vaults/${id}`)).status === 200;
    const before = await make({});
    assert.deepEqual([before.visibility, await readable(before)], ["private", false]);
    const { organization } = await owner.ok("GET", "/whoami");
    const at = `/api/v1/admin/organizations/${organization.id}`;
    const changed = await operator.ok("POST", at, { default_visibility: "organization" });
    assert.deepEqual([changed.name, changed.default_visibility], [organization.name, "organization"]);
    let made = await make({});
    // A token's organization may be remembered for an instant.
    while (made.visibility === "private") made = await make({});
    assert.deepEqual(
      [await readable(made), await readable(await make({ visibility: "private" })), await readable(before)],
      [true, false, false],
    );
    const agent = { name: "a", model: "rehearsal/steps" };
    const { id: agent_id } = await owner.ok("POST", "/agents", agent);
    const { id: environment_id } = await owner.ok("POST", "/environments", { name: "e" });
    for (const [path, body] of [
      ["/agents", agent],
      ["/environments", { name: "private" }],
      ["/memory_stores", { name: "m" }],
      ["/sessions", { agent: agent_id, environment_id }],
    ] as const) {
      const open = await owner.ok("POST", path, {
        ...body,
        ...("name" in body ? { name: `${body.name} open` } : {}),
      });
      const closed = await owner.ok("POST", path, { ...body, visibility: "private" });
      const statuses = [await member.get(`${path}/${open.id}`), await member.get(`${path}/${closed.id}`)];
      assert.deepEqual(
        statuses.map(({ status }) => status),
        [200, 403],
        path,
      );
    }
    const forms: [string, (name: string) => FormData][] = [
      ["/skills", skillForm],
      ["/files", fileForm],
    ];
    for (const [path, formOf] of forms) {
      const made = async (name: string, visibility?: string) => {
        const form = formOf(name);
        if (visibility !== undefined) form.append("visibility", visibility);
        return await owner.call("POST", path, undefined, { raw: form });
      };
      const [open, closed] = [(await made("open")).body, (await made("closed", "private")).body];
      assert.deepEqual([open.visibility, closed.visibility], ["organization", "private"], path);
      assert.equal((await member.get(`${path}/${open.id}`)).status, 200);
      assertError(await member.get(`${path}/${closed.id}`), 403, "permission_error");
      assertError(await made("odd", "public"), 400, "invalid_request_error", { param: "visibility" });
    }
    const pending = { filename: "p.txt", visibility: "private" };
    assert.equal((await owner.ok("POST", "/files", pending)).visibility, "private");
  },
);
