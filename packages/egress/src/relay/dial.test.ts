import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { type TestContext, test } from "node:test";
import { parseHostName } from "../names/host-name.ts";
import { OutgoingProxies } from "../outgoing/outgoing-proxies.ts";
import type { EgressDenied } from "../policy/denial-log.ts";
import { dial } from "./dial.ts";

const NAME = parseHostName("git.example.com");
assert.ok(NAME !== null);
const name = NAME;

test("dial: the permitted address is closed, a refused one is open → unreachable, and the refused one is not dialled", async (t) => {
  const open = await listener(t, "127.0.0.1");
  for (const found of [
    ["127.0.0.1", "127.0.0.2"],
    ["127.0.0.2", "127.0.0.1"],
    ["127.0.0.2", "127.0.0.1", "127.0.0.3"],
  ]) {
    const result = await attempt(open.port, { found, permitted: (address) => address !== "127.0.0.1" });
    assert.deepEqual([result.kind, result.denied], ["unreachable", []]);
  }
  assert.equal(open.connections(), 0);
});

test("dial: the first permitted address is closed, the second is open → connected to the second", async (t) => {
  const open = await listener(t, "127.0.0.1");
  const permitted = () => true;
  const result = await attempt(open.port, { found: ["127.0.0.2", "127.0.0.1"], permitted });
  assert.deepEqual([result.kind, result.address], ["connected", "127.0.0.1"]);
});

test("dial: every address is refused, or there is none → denied with its reason, and nothing is dialled", async (t) => {
  const open = await listener(t, "127.0.0.1");
  const refused = await attempt(open.port, { found: ["127.0.0.1"], permitted: () => false });
  const none = await attempt(open.port, { found: [], permitted: () => true });
  assert.deepEqual(
    [refused, none].map(({ kind, denied }) => [kind, ...denied.map(({ reason }) => reason)]),
    [
      ["blocked", "private_address"],
      ["unresolvable", "unresolvable"],
    ],
  );
  assert.equal(open.connections(), 0);
});

async function attempt(
  port: number,
  { found, permitted }: { found: readonly string[]; permitted: (address: string) => boolean },
) {
  const denied: EgressDenied[] = [];
  const policy = {
    allows: () => true,
    deny: (each: EgressDenied) => void denied.push(each),
    services: new Map(),
    credentialsAt: async () => [],
    admitted: () => undefined,
  };
  const context = {
    resolve: async () => found,
    guard: (_: string, address: string) => permitted(address),
    refuses: () => false,
    proxies: new OutgoingProxies(),
    mitm: null,
    headLimits: { bytes: 1024, milliseconds: 1000 },
    deniedMessage: () => "",
    log: () => undefined,
  };
  const result = await dial(name, port, policy, context);
  const address = result.kind === "connected" ? result.socket.remoteAddress : undefined;
  if (result.kind === "connected") result.socket.destroy();
  return { kind: result.kind, address, denied };
}

async function listener(t: TestContext, address: string) {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.on("error", () => undefined).resume();
  });
  server.listen(0, address);
  await once(server, "listening");
  t.after(() => server.close());
  return { port: (server.address() as AddressInfo).port, connections: () => connections };
}
