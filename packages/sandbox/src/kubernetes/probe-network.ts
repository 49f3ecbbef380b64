import { type Capability, degraded, no, yes } from "../interface/capability.ts";
import { ImageError, NoRoomError, WaitOverError } from "../interface/errors.ts";
import type { Sandbox } from "../interface/sandbox.ts";
import type { SandboxSpec } from "../interface/spec.ts";
import type { Cluster } from "./cluster.ts";

const NAME = "network_policy";
const MIB = 1024 * 1024;
/** Uids below those of sessions. */
const UIDS = [299_994, 299_995, 299_996] as const;
const PORT = 7_077;
const COMMAND_TIMEOUT_MS = 20_000;
const LISTEN = `perl -MIO::Socket::INET -e '
  $| = 1;
  my $socket = IO::Socket::INET->new(LocalPort => ${PORT}, Listen => 5, ReuseAddr => 1) or die $@;
  print "listening\\n";
  sleep 600'`;

export interface ProbedNetwork {
  cluster: Cluster;
  open(spec: SandboxSpec): Promise<Sandbox>;
  /** Opens a sandbox in a pod with the network that the cluster gives every pod. */
  openPlain(spec: SandboxSpec): Promise<Sandbox>;
  /** Returns the name of the pod of a sandbox of this engine that belongs to no session. */
  podOf(id: string): string;
}

/**
 * Checks whether a pod of the namespace can reach another pod or the API server, which no sandbox may. This
 * detects a policy that the cluster accepts but does not enforce, even when the routes in a sandbox's own pod
 * would hide that. Never throws.
 */
export async function probeNetwork(parts: ProbedNetwork): Promise<Capability> {
  const opened: Sandbox[] = [];
  const open = async (how: "open" | "openPlain", number: 0 | 1 | 2) => {
    const sandbox = await parts[how](specOf(`network_${process.pid}_${number}`, UIDS[number]));
    opened.push(sandbox);
    return sandbox;
  };
  try {
    const [from, to] = await Promise.all([open("openPlain", 0), open("openPlain", 1)]);
    const address = (await parts.cluster.pod(parts.podOf(to.id)))?.status?.podIP;
    if (address === undefined) return no(NAME, "The address of a pod is not known.");
    await listen(to);
    const reach = (sandbox: Sandbox) => reachedFrom(sandbox, address, parts.cluster.server);
    const ofPods = await reach(from);
    if (ofPods === "")
      return yes(NAME, "A pod of the namespace reached neither another one nor the API server.");
    const why = "no NetworkPolicy of the namespace forbids it, or the cluster's network enforces none";
    return (await reach(await open("open", 2))) === ""
      ? degraded(
          NAME,
          `A pod of the namespace reaches ${ofPods}: ${why}. Its own routes alone keep a sandbox from them.`,
        )
      : no(NAME, `The pod of a sandbox reaches ${ofPods}: ${why}.`);
  } catch (error) {
    if (error instanceof WaitOverError || error instanceof NoRoomError || error instanceof ImageError)
      return no("pods", `No session can run now. ${error.message}`);
    return no(NAME, `No pods could be opened to try their network: ${(error as Error).message}.`);
  } finally {
    await Promise.all(opened.map((sandbox) => sandbox.close().catch(() => {})));
  }
}

async function reachedFrom(
  sandbox: Sandbox,
  pod: string,
  server: readonly [string, number],
): Promise<string> {
  const reached = [];
  for (const [what, host, port] of [
    ["another pod", pod, PORT],
    ["the API server", ...server],
  ] as const)
    if (await reaches(sandbox, host, port)) reached.push(what);
  return reached.join(" and ");
}

/** Starts a listener in the sandbox; resolves when it listens. */
async function listen(sandbox: Sandbox): Promise<void> {
  const listening = Promise.withResolvers<void>();
  const ended = sandbox.run({
    script: LISTEN,
    timeoutMs: COMMAND_TIMEOUT_MS * 5,
    onOutput: () => listening.resolve(),
  });
  await Promise.race([
    listening.promise,
    ended.then(({ output }) => Promise.reject(new Error(Buffer.from(output).toString().trim()))),
  ]);
}

async function reaches(sandbox: Sandbox, host: string, port: number): Promise<boolean> {
  const script = `timeout 5 bash -c '</dev/tcp/${host}/${port}'`;
  return (await sandbox.run({ script, timeoutMs: COMMAND_TIMEOUT_MS })).exitCode === 0;
}

function specOf(id: string, uid: number): SandboxSpec {
  return {
    id,
    disk: id,
    temporaryDisk: true,
    uid,
    limits: { memoryBytes: 128 * MIB, pids: 64, cpus: 1, diskBytes: null },
    egress: { mode: "limited", hosts: [] },
    files: [],
    writable: [],
  };
}
