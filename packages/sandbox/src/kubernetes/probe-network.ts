import { type Capability, no, yes } from "../interface/capability.ts";
import type { Sandbox } from "../interface/sandbox.ts";
import type { SandboxSpec } from "../interface/spec.ts";
import type { Cluster } from "./cluster.ts";

const NAME = "network_policy";
const MIB = 1024 * 1024;
/** Below the uids of sessions. */
const UIDS = [299_995, 299_996] as const;
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
  /** The name of the pod of a sandbox of this engine that belongs to no session. */
  podOf(id: string): string;
}

/**
 * Whether a pod reaches what no sandbox may: the pod of another, and the API server. A policy that the cluster accepts and does not
 * enforce is found out so. Never throws.
 */
export async function probeNetwork(parts: ProbedNetwork): Promise<Capability> {
  const opened: Sandbox[] = [];
  try {
    const open = async (name: string, uid: number) => {
      const sandbox = await parts.open(specOf(`network_${process.pid}_${name}`, uid));
      opened.push(sandbox);
      return sandbox;
    };
    const [from, to] = await Promise.all([open("from", UIDS[0]), open("to", UIDS[1])]);
    const address = (await parts.cluster.pod(parts.podOf(to.id)))?.status?.podIP;
    if (address === undefined) return no(NAME, "The address of a pod is not known.");
    await listen(to);
    const reached = [];
    for (const [what, host, port] of [
      ["another sandbox's pod", address, PORT],
      ["the API server", ...parts.cluster.server],
    ] as const)
      if (await reaches(from, host, port)) reached.push(what);
    return reached.length === 0
      ? yes(NAME, "The pod of a sandbox reached neither another one's nor the API server.")
      : no(
          NAME,
          `The pod of a sandbox reaches ${reached.join(" and ")}: no NetworkPolicy of the namespace forbids it, or the cluster's network enforces none.`,
        );
  } catch (error) {
    return no(NAME, `No pods could be opened to try their network: ${(error as Error).message}.`);
  } finally {
    await Promise.all(opened.map((sandbox) => sandbox.close().catch(() => {})));
  }
}

/** Resolves when it does. */
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
    ephemeral: true,
    uid,
    limits: { memoryBytes: 128 * MIB, pids: 64, cpus: 1, diskBytes: null },
    egress: { mode: "limited", hosts: [] },
    files: [],
    writable: [],
  };
}
