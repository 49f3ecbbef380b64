import assert from "node:assert/strict";
import { test } from "node:test";
import { podGateway } from "./pod-gateway.ts";

const settings = {
  sandbox: "kubernetes",
  egressGateway: "localhost:4182",
  kubernetesEgress: "proxy",
  kubernetesEgressImage: "registry.example/berth:1",
} as const;

test("podGateway: the settings of the egress of pods, with the address of the gateway's name", async () => {
  assert.deepEqual(await podGateway(settings), {
    gateway: {
      capture: "proxy",
      image: "registry.example/berth:1",
      gateway: { host: "127.0.0.1", port: 4182 },
      node: "/usr/lib/berth/node",
    },
  });
});

test("podGateway: no gateway, or sandboxes on this host → none", async () => {
  assert.deepEqual(await podGateway({ ...settings, egressGateway: null }), {});
  assert.deepEqual(await podGateway({ ...settings, sandbox: "bubblewrap" }), {});
});
