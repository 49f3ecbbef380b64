// Subject: whose deliveries are worked on first, what is said while a session waits, and whose connection a trigger has.
import assert from "node:assert/strict";
import { createHmac, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { newUuid, uuidOrNil } from "@berth/contract";
import { createGuardedFetch } from "@berth/egress";
import { openDiskBlobs } from "@berth/store/blobs";
import { OwnerLimits } from "@berth/store/limits";
import { SecretBox } from "@berth/store/secrets";
import { silentLog } from "@berth/store/test-support/database";
import { type Caller, testApp } from "../../../../test-support/http.ts";
import { claimDelivery } from "../store/trigger-delivery-store.ts";
import { TriggerWorker } from "./trigger-worker.ts";

async function bench(t: TestContext) {
  const secretKey = randomBytes(32);
  const made = await testApp(t, { secretKey });
  const deploy = async (who: Caller) => {
    const agent = await who.made("/agents", { name: "a", model: "rehearsal/steps" });
    const environment = await who.made("/environments", { name: "e" });
    return await who.made("/deployments", {
      ...{ name: "d", agent: agent.id, environment_id: environment.id },
      initial_events: [{ type: "user.message", content: [{ type: "text", text: "Go on." }] }],
    });
  };
  const slack = async (who: Caller, deployment: string) =>
    await who.made(`/deployments/${deployment}/triggers`, {
      type: "slack",
      allowed_users: ["*"],
      token: "t",
    });
  /** Sends a mention as Slack does. */
  const send = async (trigger: { id: string; secret: string }, id: string) => {
    const event = { type: "app_mention", user: "U1", text: "go", channel: "C1", ts: "1.1" };
    const payload = JSON.stringify({ type: "event_callback", event_id: id, event });
    const time = `${Math.floor(Date.now() / 1_000)}`;
    const signature = createHmac("sha256", trigger.secret).update(`v0:${time}:${payload}`).digest("hex");
    const headers = {
      ...{ "content-type": "application/json", "x-slack-request-timestamp": time },
      "x-slack-signature": `v0=${signature}`,
    };
    const url = `/hooks/${trigger.id}`;
    const { statusCode } = await made.app.fastify.inject({ method: "POST", url, payload, headers });
    assert.equal(statusCode, 202);
  };
  return { ...made, secretKey, deploy, slack, send };
}

test("an owner with many triggers that wait does not hold up another owner", async (t) => {
  const { db, caller, deploy, slack, send } = await bench(t);
  const [many, few] = [
    await caller({ email: "many@example.com" }),
    await caller({ email: "few@example.com" }),
  ];
  const { id: deployment } = await deploy(many);
  for (let at = 0; at < 6; at += 1) await send(await slack(many, deployment), `many-${at}`);
  await send(await slack(few, (await deploy(few)).id), "few");
  const claimed = async () =>
    (await claimDelivery(db.write, { claim: newUuid(), leaseMs: 60_000 }))?.deliveryId ?? null;
  assert.deepEqual([await claimed(), await claimed(), await claimed()], ["many-0", "few", "many-1"]);
});

test("that a session waits for a confirmation is said once", async (t) => {
  const { db, blobsDir, caller, secretKey, deploy, slack, send } = await bench(t);
  const said: string[] = [];
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await text(request)) as { text?: string };
    if (body.text !== undefined) said.push(body.text);
    response.end('{"ok":true}');
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const worker = new TriggerWorker({
    ...{ db, log: silentLog, blobs: await openDiskBlobs(blobsDir), limits: new OwnerLimits(db.read) },
    ...{ secrets: new SecretBox(secretKey), repositoryHosts: new Set(), gitHttpHosts: new Set() },
    ...{ hub: { publish: () => undefined }, models: { totalCost: () => 0 }, consoleUrl: null },
    fetch: async (url, init) => {
      const { pathname } = new URL(url);
      return await createGuardedFetch({ allowPrivate: ["127.0.0.1"] })(
        `http://127.0.0.1:${port}${pathname}`,
        init,
      );
    },
  });
  const owner = await caller();
  await send(await slack(owner, (await deploy(owner)).id), "one");
  assert.ok((await worker.step()) && (await worker.step()));
  assert.deepEqual(said, ["An agent works on it."]);
  const rest = async (outcome: string, awaited: string[]) =>
    await db.write.query({
      text: "update sessions set status = 'idle', last_turn_outcome = $1, awaited_calls = $2",
      values: [outcome, awaited],
    });
  await db.write.query({ text: "update events set processed_at = now()" });
  await rest("requires_action", [newUuid()]);
  for (let at = 0; at < 3; at += 1) {
    await db.write.query({ text: "update trigger_deliveries set due_at = now()" });
    assert.ok(await worker.step());
  }
  assert.equal(said.length, 2);
  assert.match(said[1] ?? "", /^The agent waits until somebody confirms/);
  await rest("end_turn", []);
  await db.write.query({ text: "update trigger_deliveries set due_at = now()" });
  assert.ok(await worker.step());
  assert.equal(said.length, 3);
  assert.match(said[2] ?? "", /^The agent has ended its turn/);
});

test("a trigger has a connection that its deployment's owner may use", async (t) => {
  const { db, caller, deploy } = await bench(t);
  const admin = await caller({ email: "admin@example.com", role: "admin" });
  const [user, account] = [
    await caller({ email: "ann@example.com" }),
    await caller({ email: "bot", kind: "sat" }),
  ];
  const connect = async (who: Caller) =>
    await who.made("/connections", { display_name: "c", auth: { type: "token", api: "github", token: "t" } });
  const [ofAdmin, ofUser, ofAll] = [await connect(admin), await connect(user), await connect(account)];
  const [own, shared] = [await deploy(user), await deploy(account)];
  const status = async (who: Caller, deployment: { id: string }, connection: { id: string }) => {
    const path = `/deployments/${deployment.id}/triggers`;
    const { status: code, body } = await who.post(path, { type: "github", connection_id: connection.id });
    if (code !== 200) return [code, body.error.message];
    const { rows } = await db.read.query<{ connection_id: string }>({
      text: "select connection_id from deployment_triggers where id = $1",
      values: [uuidOrNil("trigger", body.id)],
    });
    assert.equal(rows[0]?.connection_id, uuidOrNil("connection", connection.id));
    return [code];
  };
  const refused = [400, "The deployment's owner may not use the connection."];
  assert.deepEqual(await status(user, own, ofUser), [200]);
  assert.deepEqual(await status(user, own, ofAll), [200]);
  assert.deepEqual(await status(admin, own, ofUser), [200]);
  assert.deepEqual(await status(admin, own, ofAdmin), refused);
  assert.deepEqual(await status(user, shared, ofUser), refused);
  assert.deepEqual(await status(user, shared, ofAll), [200]);
});
