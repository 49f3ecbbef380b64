import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { type GitHost, startGitHost } from "../../git-host/git-host.ts";
import type { AnyJson, Api } from "../harness/api.ts";
import { Berth } from "../harness/berth.ts";
import { type ChatEndpoint, startChatEndpoint } from "../harness/chat-endpoint.ts";
import { covers } from "../harness/covers.ts";
import {
  bash,
  makeAgent,
  makeEnvironment,
  makeFile,
  makeSession,
  runTurn,
  toolResults,
  waitForTurn,
} from "../harness/fixtures.ts";
import { providerSettings } from "../harness/provider-settings.ts";
import { readEventsUntil, readFrames } from "../harness/stream.ts";

let directory: string;
let host: GitHost;
let chat: ChatEndpoint;
let berth: Berth;
let api: Api;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), "git-host-"));
  host = await startGitHost({ dir: directory });
  await host.createRepository({ org: "acme", name: "widget", private: true, files: { "w.txt": "w\n" } });
  await host.createRepository({ org: "acme", name: "open", private: false, files: { "o.txt": "o\n" } });
  chat = await startChatEndpoint();
  const models = {
    providers: { local: { kind: "openai-compatible", base_url: chat.url } },
    models: [{ id: "local/quiet" }],
  };
  await writeFile(join(directory, "models.json"), JSON.stringify(models));
  berth = await Berth.start({
    settings: {
      BERTH_MODELS_FILE: join(directory, "models.json"),
      BERTH_DISK_RECLAIM_SECONDS: "1",
      BERTH_SANDBOX_IDLE_SECONDS: "0",
      ...providerSettings(host),
    },
  });
  api = await berth.client();
});
after(async () => {
  await berth.stop();
  await host.stop();
  await chat.close();
  await rm(directory, { recursive: true, force: true });
});

/** Returns the log up to its `count`th session.container_reclaimed. */
async function waitForReclaim(session: string, count = 1): Promise<AnyJson[]> {
  let seen = 0;
  const isLast = ({ type }: AnyJson) => type === "session.container_reclaimed" && ++seen === count;
  return await readEventsUntil(api, session, isLast);
}

function count(events: AnyJson[], type: string): number {
  return events.filter((event) => event.type === type).length;
}

covers(
  ["reclaim-idle", "outputs-once"],
  "reclaim: an idle session loses its disk, and its log and Files remain",
  async () => {
    const session = await makeSession(api);
    await runTurn(
      api,
      session.id,
      bash("echo draft > /data/draft; echo done > /mnt/session/outputs/result.txt"),
    );
    const events = await waitForReclaim(session.id);
    assert.equal(events.at(-1).reason, "inactivity");
    assert.equal(count(events, "session.container_started"), 1);
    const files = (await api.ok("GET", `/files?scope_id=${session.id}`)).data;
    assert.deepEqual(
      files.map(({ filename }: AnyJson) => filename),
      ["result.txt"],
    );
    const again = await runTurn(
      api,
      session.id,
      bash("ls /data /mnt/session/outputs"),
      bash("echo done > /mnt/session/outputs/result.txt"),
    );
    assert.equal(count(again, "session.container_started"), 1);
    assert.doesNotMatch(toolResults(again)[0] ?? "", /draft|result/);
    assert.deepEqual((await api.ok("GET", `/files?scope_id=${session.id}`)).data, files);
    assert.equal((await api.ok("GET", `/sessions/${session.id}`)).status, "idle");
  },
);

covers(
  ["reclaim-anew", "memory-write-in"],
  "after reclaim: memories have their current content, and writes outside of calls were stored",
  async () => {
    const store = await api.ok("POST", "/memory_stores", { name: "notes" });
    const session = await makeSession(api, {
      resources: [{ type: "memory_store", memory_store_id: store.id }],
    });
    const at = "/mnt/memory/notes";
    const late = `(until [ -e /tmp/go ]; do sleep 0.01; done; echo late > ${at}/late; touch /tmp/went) >/dev/null 2>&1 &`;
    const wait = "touch /tmp/go; until [ -e /tmp/went ]; do sleep 0.01; done";
    await runTurn(api, session.id, bash(`echo kept > ${at}/kept; ${late}`), bash(wait));
    await waitForReclaim(session.id);
    const [memory] = (await api.ok("GET", `/memory_stores/${store.id}/memories?path_prefix=/kept`)).data;
    await api.ok("POST", `/memory_stores/${store.id}/memories/${memory.id}`, { content: "since then\n" });
    const events = await runTurn(api, session.id, bash(`cd ${at}; grep -H . *`));
    assert.match(toolResults(events)[0] ?? "", /^kept:since then\nlate:late\n/);
  },
);

covers(
  ["reclaim-anew", "repo-rotation"],
  "after reclaim: repositories are cloned with the current token, and files are mounted again",
  async () => {
    const [agent, environment, file, store] = await Promise.all([
      makeAgent(api),
      makeEnvironment(api),
      makeFile(api, "from the user\n"),
      api.ok("POST", "/memory_stores", { name: "Lore" }),
    ]);
    const first = host.createToken({ user: "robot", permissions: "write" });
    const session = await api.ok("POST", "/sessions", {
      agent: agent.id,
      environment_id: environment.id,
      resources: [
        { type: "hosted_repository", url: `${host.url}/acme/widget`, authorization_token: first },
        { type: "file", file_id: file.id, mount_path: "/data/notes.txt" },
        { type: "memory_store", memory_store_id: store.id },
      ],
    });
    await runTurn(
      api,
      session.id,
      bash(
        "cd widget && echo lost > lost && echo learnt > /mnt/memory/lore/a.md && echo x >> w.txt && git status --short",
      ),
    );
    await waitForReclaim(session.id);
    host.revokeToken(first);
    const second = host.createToken({ user: "robot", permissions: "write" });
    const [repository] = session.resources;
    await api.ok("POST", `/sessions/${session.id}/resources/${repository.id}`, {
      authorization_token: second,
    });
    const events = await runTurn(
      api,
      session.id,
      bash(
        "cd widget && git status --short; cat w.txt ../notes.txt /mnt/memory/lore/a.md; ls; git commit -q --allow-empty -m again && git push -q origin HEAD:again && echo pushed",
      ),
    );
    assert.match(toolResults(events)[0] ?? "", /^w\nfrom the user\nlearnt\nw\.txt\npushed$/);
  },
);

covers(
  ["reclaim-anew"],
  "after reclaim: the model is told once, and its earlier history is unchanged",
  async () => {
    const [agent, environment] = await Promise.all([
      makeAgent(api, { model: "local/quiet" }),
      makeEnvironment(api),
    ]);
    const session = await api.ok("POST", "/sessions", {
      agent: agent.id,
      environment_id: environment.id,
      resources: [{ type: "hosted_repository", url: `${host.url}/acme/open` }],
    });
    const say = async (text: string) => {
      const content = [{ type: "text", text }];
      const events = [{ type: "user.message", content }];
      const sent = await api.ok("POST", `/sessions/${session.id}/events`, { events });
      await waitForTurn(api, session.id, sent.data[0].id);
    };
    await say("one");
    await waitForReclaim(session.id);
    await say("two");
    await say("three");
    const [first, second, third] = chat.requests.map(({ messages }) =>
      messages.map((m: AnyJson) => JSON.stringify(m)),
    );
    assert.deepEqual(second.slice(0, first.length), first);
    assert.deepEqual(third.slice(0, second.length), second);
    const notice = /container was reclaimed and is set up anew/g;
    assert.equal(first.join("").match(notice), null);
    assert.equal(second.at(-1).match(notice)?.length, 1);
    assert.match(second.at(-1), /two/);
    assert.equal(third.join("").match(notice)?.length, 1);
  },
);

covers(["reclaim-outputs"], "reclaim: outputs written after the turn are saved first", async () => {
  const slow = await Berth.start({
    settings: { BERTH_DISK_RECLAIM_SECONDS: "1", BERTH_SANDBOX_IDLE_SECONDS: "4" },
  });
  try {
    const client = await slow.client();
    const session = await makeSession(client);
    const background =
      "(while [ ! -e /data/go ]; do sleep 0.1; done; echo late > /mnt/session/outputs/late) &";
    await runTurn(client, session.id, bash(`${background} echo early > /mnt/session/outputs/early`));
    const file = await makeFile(client, "go");
    await client.ok("POST", `/sessions/${session.id}/resources`, {
      type: "file",
      file_id: file.id,
      mount_path: "/data/go",
    });
    await readEventsUntil(client, session.id, ({ type }) => type === "session.container_reclaimed");
    const files = (await client.ok("GET", `/files?scope_id=${session.id}`)).data;
    assert.deepEqual(
      files.map(({ filename }: AnyJson) => filename),
      ["late", "early"],
    );
  } finally {
    await slow.stop();
  }
});

covers(["reclaim-race"], "events at any point of a reclaim: each is processed once", async () => {
  const sessions = await Promise.all(Array.from({ length: 3 }, () => makeSession(api)));
  await Promise.all(
    sessions.map(async ({ id }, index) => {
      for (let round = 1; round <= 4; round++) {
        await runTurn(api, id, bash(`echo ${round} | tee -a /data/rounds /mnt/session/outputs/${round}`));
        const due = performance.now() + 1_000 + 150 * (round + 4 * index);
        // Continues at the reclaim or at the time that this round tests, whichever is first.
        await waitForReclaimUntil(id, due);
      }
    }),
  );
  for (const { id } of sessions) {
    const log = await wholeLog(id);
    assert.equal(count(log, "user.message"), 4);
    assert.deepEqual(
      log.filter(({ type }) => type === "session.status_idle").map(({ stop_reason: stop }) => stop.type),
      Array.from({ length: 4 }, () => "end_turn"),
    );
    assert.deepEqual(
      toolResults(log).map((text) => text.trim()),
      ["1", "2", "3", "4"],
    );
    const files = (await api.ok("GET", `/files?scope_id=${id}`)).data;
    assert.deepEqual(
      files.map(({ filename }: AnyJson) => filename),
      ["4", "3", "2", "1"],
    );
    const ids = log.map((event) => event.id);
    assert.equal(new Set(ids).size, ids.length);
  }
});

covers(
  ["reclaim-spares"],
  "no reclaim: during a turn longer than the idle time, and of an archived session",
  async () => {
    const [session, archived] = await Promise.all([makeSession(api), makeSession(api)]);
    const events = await runTurn(
      api,
      session.id,
      bash("echo kept > /data/kept"),
      { wait_ms: 2_500 },
      bash("cat /data/kept"),
    );
    assert.match(toolResults(events)[1] ?? "", /^kept/);
    assert.equal(count(events, "session.container_reclaimed"), 0);
    await runTurn(api, archived.id, bash("echo gone > /data/gone"));
    await api.ok("POST", `/sessions/${archived.id}/archive`);
    // On a slow machine the session may have been reclaimed before it was archived.
    const before = count(await wholeLog(archived.id), "session.container_reclaimed");
    await waitForReclaim(session.id);
    assert.equal(count(await wholeLog(archived.id), "session.container_reclaimed"), before);
  },
);

async function wholeLog(session: string): Promise<AnyJson[]> {
  return (await api.ok("GET", `/sessions/${session}/events?limit=100`)).data;
}

/** Resolves at the session's next reclaim or at the time `due`, whichever is first. */
async function waitForReclaimUntil(session: string, due: number): Promise<void> {
  const signal = AbortSignal.timeout(Math.max(1, Math.round(due - performance.now())));
  try {
    for await (const { event } of readFrames(api, session, { signal })) {
      if (event === "session.container_reclaimed") return;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
