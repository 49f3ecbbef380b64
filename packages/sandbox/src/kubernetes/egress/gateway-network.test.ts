// Subject: the network of a pod's sandbox as the engine sees it. The sidecar and gateway are real; a network
// namespace replaces the pod.
import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import {
  type EgressDenied,
  type EgressGateway,
  type EgressPolicy,
  GATEWAY_NAME,
  makeTunnelAuthority,
  openGateway,
  signGateway,
  signSidecar,
  type TunnelGrant,
} from "@berth/egress";
import { openPodNetwork, type PodNetwork } from "@berth/egress/tunnelled";
import { PodLostError, SandboxError } from "../../interface/errors.ts";
import type { EgressTunnel, SandboxSpec } from "../../interface/spec.ts";
import { EGRESS_PROGRAMS, type EgressSettings } from "./egress-containers.ts";
import { type EntryAttempts, GatewayNetwork, type PodEgress, type StartCommand } from "./gateway-network.ts";

const skip = process.getuid?.() === 0 ? false : "the network of a pod needs root";
const limited = (...hosts: string[]): EgressPolicy => ({ mode: "limited", hosts });

let directory: string;
let authority: Awaited<ReturnType<typeof makeTunnelAuthority>>;
let gateway: EgressGateway;
let network: PodNetwork;
let grant: TunnelGrant | null = null;
let closed = 0;
let last: ChildProcess | undefined;
let tunnel: EgressTunnel;

before(async () => {
  if (skip !== false) return;
  directory = await mkdtemp(join(tmpdir(), "gateway-network-"));
  for (const [name, text] of Object.entries(EGRESS_PROGRAMS)) await writeFile(join(directory, name), text);
  authority = await makeTunnelAuthority();
  gateway = await startGateway(0);
  network = await openPodNetwork();
  await network.capture(network.hop, gateway.port);
  tunnel = {
    epoch: 1,
    settings: {
      gateway: { host: network.hop, port: gateway.port },
      ...{ name: GATEWAY_NAME, authority: authority.certificate, ...(await signSidecar(authority)) },
      ...{ id: "a", token: "t" },
    },
    async setPolicy(policy) {
      grant = { policy, revision: (grant?.revision ?? 0) + 1 };
      await gateway.refresh();
      return grant.revision;
    },
    async close() {
      closed += 1;
    },
  };
});

async function startGateway(port: number): Promise<EgressGateway> {
  return await openGateway({
    address: { host: "0.0.0.0", port },
    tls: { authority: authority.certificate, ...(await signGateway(authority)) },
    resolve: async () => ["127.0.0.1"],
    grants: async () => new Map(grant === null ? [] : [["a", grant]]),
  });
}

after(async () => {
  if (skip !== false) return;
  await gateway.close();
  await network.close();
  await rm(directory, { recursive: true });
});

const settings = (fields: Partial<EgressSettings> = {}): EgressSettings => ({
  capture: "routes",
  gateway: { host: "10.1.2.3", port: 4182 },
  image: "berth:1",
  node: process.execPath,
  imagePullPolicy: "Never",
  ...fields,
});

/** Starts the sidecar as a pod's container does, in its own PID namespace. */
const start: StartCommand = async (_pod, _container, command) => {
  const words = command.map((word) => word.replace("/berth/commands", directory));
  const all = [
    ...network.enter,
    "unshare",
    "--pid",
    "--fork",
    "--kill-child",
    "--mount-proc",
    "--",
    ...words,
  ];
  const child = spawn(all[0] ?? "", all.slice(1), { stdio: ["pipe", "pipe", "pipe"] });
  last = child;
  let errors = "";
  child.stderr.on("data", (bytes) => {
    errors += String(bytes);
  });
  const exitCode = new Promise<number | null>((resolve) => child.once("exit", resolve));
  return { input: child.stdin, output: child.stdout, errors: () => errors, exitCode };
};

function spec(fields: Partial<SandboxSpec> = {}): SandboxSpec {
  const egress = limited();
  return { id: "a", egress, openTunnel: async () => tunnel, ...fields } as SandboxSpec;
}

const inside = (script: string) =>
  promisify(execFile)(network.enter[0] ?? "", [
    ...network.enter.slice(1),
    "sh",
    "-c",
    `${script} 2>&1 || true`,
  ]);

test("open: denials are told, and a policy that was set is in force once it is settled", {
  skip,
}, async () => {
  grant = { policy: limited(), revision: 1 };
  const denied: EgressDenied[] = [];
  const log: object[] = [];
  const pods = new GatewayNetwork(settings(), start, (line) => log.push(line));
  const egress = await pods.open("pod", spec({ onEgressDenied: (one) => denied.push(one) }));
  const since = egress.watchDenied();
  await inside("curl -sS http://1.1.1.1/");
  egress.setPolicy(limited("a.example:8443"));
  await egress.settled();
  assert.deepEqual([since(), denied], Array(2).fill([{ host: "1.1.1.1", port: 80, reason: "not_allowed" }]));
  // The name now resolves and its port is captured, so that the address guard blocks it.
  await inside("curl -sS http://a.example:8443/");
  egress.setPolicy(limited());
  await egress.settled();
  assert.deepEqual(denied.at(-1), { host: "a.example", port: 8443, reason: "private_address" });
  assert.deepEqual(log, []);
  await egress.close();
  await egress.close();
  assert.equal(closed, 1);
  assert.match((await inside("curl -sS http://1.1.1.1/")).stdout, /Failed to connect|reset by peer/);
});

test("ended: the sidecar is killed → resolves", { skip }, async () => {
  grant = { policy: limited(), revision: 1 };
  const egress = await new GatewayNetwork(settings(), start, () => {}).open("pod", spec());
  last?.kill("SIGKILL");
  assert.equal(await egress.ended, "the connection to it was cut");
  await egress.close();
});

test("open: the gateway refuses the token → SandboxError, and the tunnel is closed", { skip }, async () => {
  [grant, closed] = [null, 0];
  await assert.rejects(
    new GatewayNetwork(settings(), start, () => {}).open("pod", spec()),
    new SandboxError("the egress of a pod is not there: its gateway refuses the sandbox's token"),
  );
  assert.ok(closed > 0);
});

/**
 * Runs a test without the gateway, in which a pod's network is being opened whose sidecar has tried to reach it.
 */
async function withoutGateway(
  during: (opening: Promise<PodEgress>, startAgain: () => Promise<void>) => Promise<void>,
  attempts?: EntryAttempts,
): Promise<void> {
  const { port } = gateway;
  await gateway.close();
  let isThere = false;
  const startAgain = async () => {
    isThere = true;
    gateway = await startGateway(port);
  };
  grant = { policy: limited(), revision: 1 };
  const told = Promise.withResolvers<object>();
  const opening = new GatewayNetwork(settings(), start, told.resolve).open("pod", spec(), attempts);
  opening.catch(told.reject);
  try {
    assert.deepEqual(await told.promise, {
      msg: "the gateway of a sandbox is not reached",
      error: `connect ECONNREFUSED ${network.hop}:${port}`,
    });
    await during(opening, startAgain);
  } finally {
    if (!isThere) await startAgain();
  }
}

test("open: a gateway that is not there yet is told, and waited for", { skip }, () =>
  withoutGateway(async (opening, startAgain) => {
    await startAgain();
    await (await opening).close();
  }),
);

test("open: the gateway is not reached until the pod is given up → SandboxError", { skip }, async () => {
  const pod = new AbortController();
  await withoutGateway(
    async (opening) => {
      pod.abort();
      await assert.rejects(
        opening,
        new SandboxError("the egress of a pod is not there: its gateway is not reached"),
      );
    },
    { signal: pod.signal },
  );
});

test("open: the connection to the pod is cut → PodLostError, so that another pod is tried", { skip }, () =>
  withoutGateway(async (opening) => {
    last?.kill("SIGKILL");
    await assert.rejects(opening, PodLostError);
  }),
);

test("open: a sandbox without a tunnel starts no sidecar", async () => {
  const { openTunnel: _, ...without } = spec();
  const pods = new GatewayNetwork(
    settings(),
    () => assert.fail("started"),
    () => {},
  );
  const egress = await pods.open("pod", without);
  assert.deepEqual(egress.watchDenied()(), []);
  const { containers, sysctls } = pods.parts(without);
  assert.deepEqual([containers, sysctls], [[], []], "low ports are only for the sidecar");
});

test("pod: only the init container may change the network, and the sidecar has no capability", () => {
  const { initContainers, containers, sysctls } = new GatewayNetwork(settings(), start, () => {}).parts(
    spec(),
  );
  assert.deepEqual(
    initContainers.map(({ name, securityContext }) => [name, securityContext?.capabilities]),
    [["network", { drop: ["ALL"], add: ["NET_ADMIN"] }]],
  );
  assert.deepEqual(initContainers[0]?.command?.slice(-2), ["10.1.2.3", "4182"]);
  assert.deepEqual(
    containers.map(({ name, securityContext }) => [name, securityContext?.capabilities]),
    [["egress", { drop: ["ALL"] }]],
  );
  assert.deepEqual(sysctls, [{ name: "net.ipv4.ip_unprivileged_port_start", value: "0" }]);
});

test("proxy: no init container, and variables that name the proxy", () => {
  const pods = new GatewayNetwork(settings({ capture: "proxy" }), start, () => {});
  assert.deepEqual(pods.parts(spec()).initContainers, []);
  const variables = Object.fromEntries(pods.parts(spec()).variables.map(({ name, value }) => [name, value]));
  assert.equal(variables.HTTPS_PROXY, "http://127.0.0.1:3128");
  assert.equal(variables.no_proxy, "localhost,127.0.0.1,::1");
});
