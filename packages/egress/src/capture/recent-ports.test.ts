import assert from "node:assert/strict";
import { test } from "node:test";
import { closeOtherPorts, makeNamespaces, releaseNamespace } from "./bare-namespace.ts";
import { RecentPorts } from "./recent-ports.ts";

test("recent ports: the latest four, each once", () => {
  const ports = new RecentPorts();
  assert.deepEqual(ports.list, []);
  ports.add([8443, 3000]);
  ports.add([3000]);
  assert.deepEqual(ports.list, [3000, 8443]);
  ports.add([1, 2, 3]);
  assert.deepEqual(ports.list, [1, 2, 3, 3000]);
});

test("makeNamespaces: listens at additional ports until they are closed", async () => {
  const [made] = await makeNamespaces(1, [3333, 443]);
  assert.ok(made !== undefined);
  const portsOf = ({ listeners }: typeof made) => listeners.tcp.map(({ port }) => port);
  assert.deepEqual(portsOf(made), [80, 443, 3128, 53, 3333]);
  const less = closeOtherPorts(made, [80, 443]);
  assert.deepEqual(portsOf(less), [80, 443]);
  releaseNamespace(less);
});
