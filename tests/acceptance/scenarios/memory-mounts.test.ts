import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { waitForPid } from "../../crash/processes.ts";
import { type AnyJson, assertError } from "../harness/api.ts";
import { startBerth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import {
  bash,
  makeAgent,
  makeEnvironment,
  makeFile,
  makeSession,
  runTurn,
  steps,
  toolResults,
  waitForTurn,
} from "../harness/fixtures.ts";
import { readEventsUntil } from "../harness/stream.ts";

// Without a disk limit, files are visible on the host while a command runs.
const { berth, api } = await startBerth({ settings: { BERTH_SESSION_DISK_MB: "0" } });

const makeStore = (fields: object = {}): Promise<AnyJson> =>
  api.ok("POST", "/memory_stores", { name: "Team Notes", ...fields });
const mounted = (store: AnyJson, fields: object = {}) => ({
  type: "memory_store",
  memory_store_id: store.id,
  ...fields,
});
const memoriesOf = (store: AnyJson) => `/memory_stores/${store.id}/memories`;
const put = (store: AnyJson, path: string, content: string): Promise<AnyJson> =>
  api.ok("POST", memoriesOf(store), { path, content });

/** Returns the contents of a store's memories, by path. */
async function contents(store: AnyJson): Promise<Record<string, string>> {
  const { data } = await api.ok("GET", `${memoriesOf(store)}?limit=100`);
  const whole = data.map(({ id }: AnyJson) => api.ok("GET", `${memoriesOf(store)}/${id}`));
  return Object.fromEntries((await Promise.all(whole)).map(({ path, content }: AnyJson) => [path, content]));
}

/** Returns the results of commands, each run as a separate tool call. */
async function run(session: AnyJson, ...commands: string[]): Promise<string[]> {
  return toolResults(await runTurn(api, session.id, ...commands.map(bash)));
}

covers(["memory-mount"], "mount memory store: at creation only, at a path from its name", async () => {
  const [one, two] = [await makeStore({ description: "for all" }), await makeStore({ name: "team notes" })];
  const session = await makeSession(api, {
    resources: [mounted(one), mounted(two, { access: "read_only", instructions: "Look here first." })],
  });
  const [first, second] = session.resources;
  const { id, created_at, updated_at, ...rest } = first;
  assert.match(id, /^sesr_/);
  assert.match(created_at, /Z$/);
  assert.match(updated_at, /Z$/);
  assert.deepEqual(rest, {
    type: "memory_store",
    memory_store_id: one.id,
    name: "Team Notes",
    description: "for all",
    access: "read_write",
    instructions: null,
    mount_path: "/mnt/memory/team-notes",
  });
  assert.deepEqual(
    [second.access, second.instructions, second.mount_path],
    ["read_only", "Look here first.", "/mnt/memory/team-notes-2"],
  );
  assert.deepEqual(await api.ok("GET", `/sessions/${session.id}/resources/${id}`), first);
  await api.ok("POST", `/memory_stores/${one.id}`, { name: "Renamed" });
  assert.equal((await api.ok("GET", `/sessions/${session.id}`)).resources[0].name, "Team Notes");
  const later = await api.post(`/sessions/${session.id}/resources`, mounted(one));
  assertError(later, 400, "invalid_request_error");
});

covers(
  ["memory-mount", "memory-mount-faults"],
  "mount memory store: invalid, unknown, inaccessible and archived stores are rejected",
  async () => {
    const store = await makeStore();
    const agent = await makeAgent(api);
    const environment = await makeEnvironment(api);
    const create = (resources: object[]) =>
      api.post("/sessions", { agent: agent.id, environment_id: environment.id, resources });
    const param = "resources[0].memory_store_id";
    const absent = { id: "memstore_01h00000000000000000000000" };
    assertError(await create([mounted(absent)]), 404, "not_found_error");
    assertError(await create([mounted({ id: "x" })]), 400, "invalid_request_error", { param });
    assertError(await create([mounted(store, { access: "write" })]), 400, "invalid_request_error");
    assertError(await create([mounted(store, { mount_path: "/data/x" })]), 400, "invalid_request_error");
    assertError(await create([mounted(store), mounted(store)]), 400, "invalid_request_error", {
      param: "resources[1].memory_store_id",
    });
    const long = mounted(store, { instructions: "x".repeat(4_097) });
    assertError(await create([long]), 400, "invalid_request_error", { param: "resources[0].instructions" });
    const nine = await Promise.all(Array.from({ length: 9 }, () => makeStore()));
    assertError(await create(nine.map((one) => mounted(one))), 400, "invalid_request_error", {
      param: "resources[8].memory_store_id",
    });
    assert.equal((await create(nine.slice(1).map((one) => mounted(one)))).status, 200);
    const other = await berth.client({ user: "other@example.com" });
    const foreign = await other.ok("POST", "/memory_stores", { name: "theirs" });
    assertError(await create([mounted(foreign)]), 403, "permission_error");
    const session = (await create([mounted(store)])).body;
    assertError(await api.delete(`/memory_stores/${store.id}`), 409, "conflict_error");
    const resource = `/sessions/${session.id}/resources/${session.resources[0].id}`;
    assertError(await api.post(resource, { password: "new" }), 400, "invalid_request_error");
    await api.ok("POST", `/memory_stores/${store.id}/archive`);
    assertError(await create([mounted(store)]), 409, "conflict_error");
    await api.ok("POST", `/sessions/${session.id}/archive`);
    await api.ok("DELETE", `/memory_stores/${store.id}`);
    assert.equal((await api.ok("GET", `/sessions/${session.id}`)).resources[0].memory_store_id, store.id);
  },
);

covers(["memory-filter"], "list sessions: filters by memory store", async () => {
  const [one, two] = [await makeStore(), await makeStore()];
  const session = await makeSession(api, { resources: [mounted(one), mounted(two)] });
  const other = await makeSession(api, { resources: [mounted(two)] });
  await makeSession(api);
  const found = async (store: AnyJson) =>
    (await api.ok("GET", `/sessions?memory_store_id=${store.id}`)).data.map(({ id }: AnyJson) => id);
  assert.deepEqual(await found(one), [session.id]);
  assert.deepEqual(await found(two), [other.id, session.id]);
});

covers(
  ["memory-write-out", "memory-write-in"],
  "memory mount: changes in the container and over the API reach the other side",
  async () => {
    const store = await makeStore();
    const updated = await put(store, "/kept.md", "from before\n");
    await put(store, "/old.md", "to be removed");
    const session = await makeSession(api, { resources: [mounted(store)] });
    const at = "/mnt/memory/team-notes";
    const [read] = await run(
      session,
      `cat ${at}/kept.md`,
      `mkdir -p ${at}/deep/er && echo new > ${at}/deep/er/new.md && rm ${at}/old.md && echo more >> ${at}/kept.md`,
    );
    assert.equal(read, "from before");
    assert.deepEqual(await contents(store), {
      "/kept.md": "from before\nmore\n",
      "/deep/er/new.md": "new\n",
    });
    const versions = (
      await api.ok("GET", `/memory_stores/${store.id}/memory_versions?session_id=${session.id}`)
    ).data;
    assert.deepEqual(versions.map(({ operation, path }: AnyJson) => `${operation} ${path}`).toSorted(), [
      "created /deep/er/new.md",
      "deleted /old.md",
      "modified /kept.md",
    ]);
    for (const { created_by: actor } of versions) {
      assert.deepEqual(actor, { type: "session_actor", session_id: session.id });
    }
    await api.ok("POST", `${memoriesOf(store)}/${updated.id}`, { content: "over the API\n" });
    await put(store, "/added.md", "added\n");
    const deep = (await api.ok("GET", `${memoriesOf(store)}?path_prefix=/deep/`)).data[0];
    await api.ok("DELETE", `${memoriesOf(store)}/${deep.id}`);
    const [after] = await run(session, `(cd ${at} && find . -type f | sort && cat kept.md added.md)`);
    assert.equal(after, "./added.md\n./kept.md\nover the API\nadded");
    const more = (await api.ok("GET", `/memory_stores/${store.id}/memory_versions?session_id=${session.id}`))
      .data;
    assert.equal(more.length, versions.length, "reading creates no versions");
  },
);

covers(
  ["memory-write-out", "memory-write-in"],
  "memory mount: Write, Edit and moves become changes of memories",
  async () => {
    const store = await makeStore();
    const session = await makeSession(api, { resources: [mounted(store)] });
    const file_path = "/mnt/memory/team-notes/plan.md";
    const events = await runTurn(
      api,
      session.id,
      { tool: "Write", input: { file_path, content: "step one\n" } },
      { tool: "Edit", input: { file_path, old_string: "one", new_string: "two" } },
      {
        tools: Array.from({ length: 5 }, (_, n) => ({
          tool: "Write",
          input: { file_path: `${file_path}.${n}`, content: `${n}` },
        })),
      },
      bash("cd /mnt/memory/team-notes && mv plan.md plan && mkdir dir && mv plan dir/plan && mv dir plan"),
    );
    assert.equal(events.filter(({ is_error: failed }) => failed === true).length, 0);
    const side = Object.fromEntries(Array.from({ length: 5 }, (_, n) => [`/plan.md.${n}`, `${n}`]));
    assert.deepEqual(await contents(store), { "/plan/plan": "step two\n", ...side });
  },
);

covers(["memory-write-in"], "two sessions with one store: each sees the other's changes", async () => {
  const store = await makeStore();
  const [one, two] = [
    await makeSession(api, { resources: [mounted(store)] }),
    await makeSession(api, { resources: [mounted(store)] }),
  ];
  const at = "/mnt/memory/team-notes/shared.md";
  await run(one, `echo one > ${at}`);
  assert.deepEqual(await run(two, `cat ${at}; echo two >> ${at}`, `rm ${at}`), ["one", "(no output)"]);
  assert.deepEqual(await run(one, `ls ${at}; true`, `echo again > ${at}`), [
    `ls: cannot access '${at}': No such file or directory\n`.trim(),
    "(no output)",
  ]);
  assert.deepEqual(await contents(store), { "/shared.md": "again\n" });
  assert.deepEqual(await run(two, `cat ${at}`), ["again"]);
});

covers(
  ["memory-conflict"],
  "concurrent change during a tool call: the stored memory wins, and the agent is told",
  async () => {
    const store = await makeStore();
    const memory = await put(store, "/shared.md", "one");
    const file = await makeFile(api, "go");
    const session = await makeSession(api, { resources: [mounted(store)] });
    const at = "/mnt/memory/team-notes";
    const waits = `until [ -e /mnt/session/uploads/${file.id} ]; do sleep 0.02; done; echo two > ${at}/shared.md; echo x > ${at}/x`;
    const message = steps(
      { tools: [bash(waits), { tool: "Write", input: { file_path: "/data/x", content: "x" } }] },
      bash(`cat ${at}/shared.md`),
    );
    const sent = await api.ok("POST", `/sessions/${session.id}/events`, { events: [message] });
    await readEventsUntil(api, session.id, ({ type }) => type === "agent.tool_result");
    await api.ok("POST", `${memoriesOf(store)}/${memory.id}`, { content: "over the API" });
    await api.ok("POST", `/sessions/${session.id}/resources`, { type: "file", file_id: file.id });
    const [, note, read] = toolResults(await waitForTurn(api, session.id, sent.data[0].id));
    assert.match(note ?? "", /shared\.md was not taken: the memory was changed elsewhere/);
    assert.equal(read, "over the API");
    assert.deepEqual(await contents(store), { "/shared.md": "over the API", "/x": "x\n" });
  },
);

covers(["memory-unfit"], "files that cannot be memories: reported once and not stored", async () => {
  const store = await makeStore();
  const session = await makeSession(api, { resources: [mounted(store)] });
  const [notes, again] = await run(
    session,
    `(cd /mnt/memory/team-notes && head -c 102401 /dev/zero | tr '\\0' a > big && printf 'a\\377b' > bytes &&
      printf 'a\\0b' > nul && touch "$(printf 'new\\nline')" && ln -s /etc/passwd link && mkfifo pipe &&
      head -c 102400 /dev/zero | tr '\\0' a > most && echo fine > fine)`,
    "ls -b /mnt/memory/team-notes | wc -l",
  );
  for (const part of [
    /big is not kept.*102400 bytes/,
    /bytes is not kept.*UTF-8/,
    /nul is not kept/,
    /new\?line is not kept/,
  ]) {
    assert.match(notes ?? "", part);
  }
  assert.equal(again, "8", "reported once");
  const stored = await contents(store);
  assert.deepEqual(Object.keys(stored).toSorted(), ["/fine", "/most"]);
});

covers(["memory-read-only"], "read_only mount: memories can be read and not written", async () => {
  const store = await makeStore();
  const memory = await put(store, "/a/b.md", "as it was\n");
  const session = await makeSession(api, { resources: [mounted(store, { access: "read_only" })] });
  const at = "/mnt/memory/team-notes";
  const [read, wrote, removed, made] = await run(
    session,
    `cat ${at}/a/b.md`,
    `echo changed > ${at}/a/b.md; chmod 777 ${at}/a/b.md ${at}; true`,
    `rm -rf ${at}/a; mv ${at} /mnt/memory/other; true`,
    `touch ${at}/new; true`,
  );
  assert.equal(read, "as it was");
  for (const text of [wrote, removed, made])
    assert.match(text ?? "", /Read-only file system|Permission denied/);
  await api.ok("POST", `${memoriesOf(store)}/${memory.id}`, { content: "as it is\n" });
  await put(store, "/new.md", "n");
  assert.deepEqual(await run(session, `(cd ${at} && find . -type f | sort && cat a/b.md)`), [
    "./a/b.md\n./new.md\nas it is",
  ]);
  await api.ok("DELETE", `${memoriesOf(store)}/${memory.id}`);
  assert.deepEqual(await run(session, `ls ${at}`), ["new.md"]);
  assert.deepEqual(await contents(store), { "/new.md": "n" });
});

covers(
  ["memory-read-only", "memory-store-archived"],
  "store archived while mounted: changes are discarded",
  async () => {
    const store = await makeStore();
    await put(store, "/a.md", "as it was\n");
    const session = await makeSession(api, { resources: [mounted(store)] });
    await api.ok("POST", `/memory_stores/${store.id}/archive`);
    const at = "/mnt/memory/team-notes";
    const [note, read] = await run(session, `echo changed > ${at}/a.md; echo b > ${at}/b.md`, `cat ${at}/*`);
    assert.match(note ?? "", /a\.md was not taken: the memory store is archived/);
    assert.equal(read, "as it was");
    assert.deepEqual(await contents(store), { "/a.md": "as it was\n" });
  },
);

covers(
  ["memory-crash"],
  "runner killed during a call: its changes are stored before the next call",
  async () => {
    const store = await makeStore();
    await put(store, "/gone.md", "to be removed");
    const session = await makeSession(api, { resources: [mounted(store)] });
    const at = "/mnt/memory/team-notes";
    await run(session, `cat ${at}/gone.md`);
    const write = `echo late > ${at}/late.md; rm ${at}/gone.md; touch /data/written; sleep 100`;
    const message = steps(bash(write), bash(`cat ${at}/late.md`));
    const sent = await api.ok("POST", `/sessions/${session.id}/events`, { events: [message] });
    await waitForFile(`sessions/${session.id}/data/written`);
    assert.deepEqual(await contents(store), { "/gone.md": "to be removed" });
    process.kill(await waitForPid(berth, "runner"), "SIGKILL");
    const [interrupted, read] = toolResults(await waitForTurn(api, session.id, sent.data[0].id));
    assert.match(interrupted ?? "", /interrupted/);
    assert.equal(read, "late");
    assert.deepEqual(await contents(store), { "/late.md": "late\n" });
  },
);

/** Resolves when the file exists in the data directory. */
async function waitForFile(path: string): Promise<void> {
  const signal = AbortSignal.timeout(60_000);
  while (!existsSync(`${berth.dataDir}/${path}`)) await pause(10, undefined, { signal });
}
