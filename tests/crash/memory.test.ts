import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import type { AnyJson, Api } from "../acceptance/harness/api.ts";
import { Berth } from "../acceptance/harness/berth.ts";
import {
  bash,
  makeEnvironment,
  makeSession,
  runTurn,
  steps,
  toolResults,
  waitForTurn,
} from "../acceptance/harness/fixtures.ts";
import { CAN_INJECT } from "./inject-kill.ts";
import { killAtEveryWrite } from "./kill-at-every-write.ts";

/**
 * Tests kills of the runner at its writes after a command that changes a memory. These writes store the
 * change as a version and record the result. The command sends a request after its write, and the test holds
 * the response until strace is attached.
 */
let web: Server;
let host: string;
let berth: Berth;
let api: Api;
let store: AnyJson;
let session: string;
before(async () => {
  web = createServer().listen(0, "127.0.0.1");
  await once(web, "listening");
  host = `web.localhost:${(web.address() as AddressInfo).port}`;
  berth = await Berth.start({ settings: { BERTH_EGRESS_ALLOW_PRIVATE: host } });
  api = await berth.client();
  store = await api.ok("POST", "/memory_stores", { name: "Lore" });
  const resources = [{ type: "memory_store", memory_store_id: store.id }];
  const networking = { type: "limited", allowed_hosts: [host] };
  const environment = await makeEnvironment(api, { config: { type: "cloud", networking } });
  session = (await makeSession(api, { resources, environment_id: environment.id })).id;
  await runTurn(api, session, bash("echo begin > /mnt/memory/lore/notes.md"));
});
after(async () => {
  await berth.stop();
  web.close();
});

test(
  "runner killed after a tool call changed a memory: the change is stored as one version",
  {
    timeout: 600_000,
    skip: !CAN_INJECT,
  },
  (context) =>
    killAtEveryWrite(context, {
      service: () => berth,
      sampledPoints: 4,
      async run(name, attach) {
        const request = Promise.withResolvers<ServerResponse>();
        web.once("request", (_, response) => request.resolve(response));
        const command = `echo ${name} >> /mnt/memory/lore/notes.md; curl -s http://${host}/; true`;
        const sent = await api.ok("POST", `/sessions/${session}/events`, { events: [steps(bash(command))] });
        const ended = waitForTurn(api, session, sent.data[0].id);
        void ended.then(() => request.reject(new Error("the command sent no request")), request.reject);
        const response = await request.promise;
        await attach();
        response.end();
        return await ended;
      },
      check,
    }),
);

async function check(events: AnyJson[], name: string): Promise<void> {
  assert.deepEqual(events.at(-1).stop_reason, { type: "end_turn" }, name);
  assert.equal(toolResults(events).length, 1, name);
  const [inside = ""] = toolResults(await runTurn(api, session, bash("cat /mnt/memory/lore/notes.md")));
  assert.deepEqual(
    inside.split("\n").filter((line) => line === name),
    [name],
    `${name}: the line is there once`,
  );
  const base = `/memory_stores/${store.id}`;
  const [{ id }] = (await api.ok("GET", `${base}/memories`)).data;
  assert.equal((await api.ok("GET", `${base}/memories/${id}`)).content.trimEnd(), inside.trimEnd(), name);
  const versions: AnyJson[] = (await api.ok("GET", `${base}/memory_versions?limit=100`)).data;
  const shas = versions.map(({ content_sha256: sha }) => sha);
  assert.equal(new Set(shas).size, shas.length, `${name}: no version is duplicated`);
  assert.equal(shas.length, inside.trim().split("\n").length, `${name}: one version for each write`);
}
