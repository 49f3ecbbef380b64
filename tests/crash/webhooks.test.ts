import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Api } from "../acceptance/harness/api.ts";
import { Berth } from "../acceptance/harness/berth.ts";
import { waitUntil } from "../acceptance/harness/wait-until.ts";
import { startWebhookReceiver, type WebhookReceiver } from "../acceptance/harness/webhook-receiver.ts";
import { isWhole } from "../effort/effort.ts";
import { killRunner, waitForPid } from "./processes.ts";
import { newSeed, randomFrom } from "./seed.ts";

/**
 * Kills every process of a service while events happen and are delivered. What was acknowledged is told, and a
 * double has the `webhook-id` of the first.
 */

const EVENTS = isWhole("crash") ? 10_000 : 600;
const AT_ONCE = 8;
const KILLS = isWhole("crash") ? 12 : 4;
const SETTINGS = { BERTH_EGRESS_ALLOW_PRIVATE: "127.0.0.1" };

let berth: Berth;
let receiver: WebhookReceiver;
let token: string;
before(async () => {
  receiver = await startWebhookReceiver();
  berth = await Berth.start({ settings: SETTINGS });
  token = await berth.token();
});
after(async () => {
  await berth.stop();
  await receiver.close();
});

const VICTIMS = {
  service: async () => {
    await berth.kill("SIGKILL");
    berth = await Berth.start({ settings: SETTINGS, dataDir: berth.dataDir });
  },
  database: async () => {
    process.kill(await waitForPid(berth, "postgres"), "SIGKILL");
    await waitForPid(berth, "postgres");
    await berth.ready();
  },
  runner: () => killRunner(berth),
};

test("killed while events happen: none that was acknowledged is missing, and doubles have one id", {
  timeout: 1_800_000,
}, async (context) => {
  const seed = newSeed();
  context.diagnostic(`seed ${seed}`);
  const random = randomFrom(seed);
  const url = `${receiver.url}/hook`;
  await new Api(berth.url, token).ok("POST", "/webhooks", { url, enabled_events: ["vault.created"] });

  const acknowledged = new Set<string>();
  /** Makes vaults until enough are acknowledged. A request that a kill cuts off may have made one. */
  const happen = async () => {
    while (acknowledged.size < EVENTS) {
      const api = new Api(berth.url, token);
      const made = await api.post("/vaults", { display_name: "v" }).catch(() => null);
      if (made?.status === 200) acknowledged.add(made.body.id);
    }
  };
  const happening = Promise.all(Array.from({ length: AT_ONCE }, happen));
  happening.catch(() => undefined);
  const victims = Object.entries(VICTIMS);
  for (let kill = 0; kill < KILLS; kill++) {
    const due = ((kill + random()) * EVENTS) / (KILLS + 1);
    await waitUntil(
      () => acknowledged.size >= due,
      () => `only ${acknowledged.size} events`,
    );
    const [name, strike] = victims[kill % victims.length] ?? assert.fail();
    await strike();
    context.diagnostic(`${name} killed after ${acknowledged.size} events`);
  }
  await happening;

  const told = () => receiver.received.map(({ body }) => JSON.parse(body).data.id as string);
  await waitUntil(
    () => new Set(told()).isSupersetOf(acknowledged),
    () => `${acknowledged.difference(new Set(told())).size} events are missing`,
    600_000,
  );
  const idsOf = Map.groupBy(receiver.received, ({ body }) => JSON.parse(body).data.id);
  for (const [object, requests] of idsOf)
    assert.equal(new Set(requests.map(({ headers }) => headers["webhook-id"])).size, 1, object);
  const doubles = receiver.received.length - idsOf.size;
  context.diagnostic(`${acknowledged.size} events acknowledged, ${idsOf.size} told, ${doubles} doubles`);
  assert.ok(doubles < EVENTS / 2);
});
