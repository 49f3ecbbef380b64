import assert from "node:assert/strict";
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import type { NamespaceOptions, NetworkNamespace } from "../src/capture/network-namespace.ts";
import type { Egress, EgressOptions } from "../src/egress.ts";
import { DenialLog, type EgressDenied } from "../src/policy/denial-log.ts";
import { parsePolicy } from "../src/policy/policy.ts";
import { GATEWAY_NAME, makeTunnelAuthority, signGateway, signSidecar } from "../src/tunnel/certificates.ts";
import { openGateway } from "../src/tunnel/gateway.ts";
import { SIDECAR } from "../src/tunnel/programs.ts";
import type { TunnelGrant } from "../src/tunnel/tunnel.ts";
import { openPodNetwork, type PodNetwork } from "./pod-network.ts";

export { openPodNetwork, type PodNetwork };

/** A line that a sidecar prints. */
export type SidecarLine =
  | { kind: "policy"; revision: number }
  | ({ kind: "denied" } & EgressDenied)
  | { kind: "unreached"; message: string }
  | { kind: "lost" }
  | { kind: "port"; port: number; message: string };

export type SidecarProcess = ChildProcessByStdio<Writable, Readable, null>;

/** Writes the sidecar's program to a file that the users of containers can read. Returns its path. */
export async function writeSidecar(directory: string): Promise<string> {
  const path = join(directory, "sidecar.mjs");
  await chmod(directory, 0o755);
  await writeFile(path, SIDECAR);
  return path;
}

/** Runs a sidecar in a pod's network like its container: own user without capabilities, own processes. */
export function startSidecar(
  network: PodNetwork,
  program: string,
  { epoch = 1, capture = "routes", settings }: { epoch?: number; capture?: string; settings: object },
): SidecarProcess {
  const contained = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc", "--"];
  const user = ["setpriv", "--reuid=65532", "--regid=65532", "--clear-groups", "--bounding-set=-all", "--"];
  const [command = "", ...words] = [...network.enter, ...contained, ...user, process.execPath, program];
  const sidecar = spawn(command, [...words, String(epoch), capture], {
    env: {},
    stdio: ["pipe", "pipe", "inherit"],
  });
  sidecar.stdin.on("error", () => {});
  sidecar.stdin.write(`${JSON.stringify(settings)}\n`);
  return sidecar;
}

/**
 * Creates an egress whose namespaces are networks of pods. A sidecar in each captures the connections of a
 * sandbox and sends them through a tunnel to a gateway in this process.
 */
export async function createTunnelledEgress(options: EgressOptions = {}): Promise<Egress> {
  const directory = await mkdtemp(join(tmpdir(), "tunnelled-"));
  const program = await writeSidecar(directory);
  const authority = await makeTunnelAuthority();
  const [gatewayPair, sidecarPair] = await Promise.all([signGateway(authority), signSidecar(authority)]);
  const grants = new Map<string, TunnelGrant>();
  const gateway = await openGateway({
    ...options,
    address: { host: "0.0.0.0", port: 0 },
    tls: { authority: authority.certificate, ...gatewayPair },
    grants: async (tickets) =>
      new Map(
        tickets.flatMap(({ id, token }) => {
          const grant = grants.get(id);
          return grant === undefined || token !== `token of ${id}` ? [] : [[id, grant] as const];
        }),
      ),
  });
  const open = new Set<NetworkNamespace>();

  async function openOne({
    policy,
    credentials,
    services,
    onDenied,
  }: NamespaceOptions): Promise<NetworkNamespace> {
    parsePolicy(policy);
    const network = await openPodNetwork();
    await network.capture(network.hop, gateway.port);
    const id = randomUUID();
    const grant: TunnelGrant = {
      ...{ policy, revision: 1 },
      ...(credentials && { credentials }),
      ...(services && { services }),
    };
    grants.set(id, grant);
    const denials = new DenialLog(onDenied ?? (() => {}));
    const sidecar = startSidecar(network, program, {
      settings: {
        gateway: { host: network.hop, port: gateway.port },
        ...{ name: GATEWAY_NAME, authority: authority.certificate, ...sidecarPair },
        ...{ id, token: `token of ${id}` },
      },
    });
    const ready = Promise.withResolvers<void>();
    createInterface({ input: sidecar.stdout }).on("line", (text) => {
      const line = JSON.parse(text) as SidecarLine;
      if (line.kind === "policy") ready.resolve();
      if (line.kind !== "denied") return;
      const { kind: _, ...denied } = line;
      denials.add(denied);
    });
    const exited = once(sidecar, "exit");
    await Promise.race([ready.promise, exited.then(() => assert.fail("the sidecar ended"))]);
    const namespace: NetworkNamespace = {
      netFd: network.netFd,
      userFd: null,
      setPolicy(changed) {
        parsePolicy(changed);
        const { revision = 0 } = grants.get(id) ?? {};
        grants.set(id, { ...grant, policy: changed, revision: revision + 1 });
        void gateway.refresh([id]);
      },
      watchDenied: () => denials.watch(),
      async close() {
        if (!open.delete(namespace)) return;
        grants.delete(id);
        sidecar.stdin.end();
        await exited;
        await network.close();
      },
    };
    open.add(namespace);
    return namespace;
  }

  return {
    open: openOne,
    async close() {
      await Promise.all([...open].map((one) => one.close()));
      await gateway.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
