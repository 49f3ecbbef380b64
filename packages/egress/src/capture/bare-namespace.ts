import { closeSync, openSync } from "node:fs";
import { makeBatch, makesBatches } from "./namespace-batch.ts";
import { closeListeners, type Listeners, runHelper } from "./namespace-helper.ts";
import { standardPorts } from "../policy/policy.ts";
import { proxyPort } from "../proxy/serve-proxy.ts";

export const dnsPort = 53;

/** TCP ports that every namespace listens at. */
export const listenedPorts: readonly number[] = [...standardPorts, proxyPort, dnsPort];

/** A network namespace in which every address is local, kept alive by descriptors, and its listeners. */
export interface BareNamespace {
  listeners: Listeners;
  netFd: number;
  userFd: number | null;
}

const isRoot = process.getuid?.() === 0;

/**
 * Makes a namespace that listens at these TCP ports and UDP 53. When this process is not root, it lies in a user
 * namespace of its own, in which this user is root: a program that joins both by `nsenter --preserve-credentials` has
 * capabilities there, over nothing else.
 */
async function makeNamespace(tcp: readonly number[]): Promise<BareNamespace> {
  const user = isRoot ? [] : ["--user", "--map-root-user"];
  const opened: { netFd: number | null; userFd: number | null } = { netFd: null, userFd: null };
  const task = { prepare: true, tcp, udp: [dnsPort] };
  const listeners = await runHelper(
    { enter: ["unshare", ...user, "--net", "--"], descriptors: [] },
    task,
    (pid) => {
      opened.netFd = openSync(`/proc/${pid}/ns/net`, "r");
      opened.userFd = isRoot ? null : openSync(`/proc/${pid}/ns/user`, "r");
    },
  );
  if (opened.netFd === null) throw new Error("The network namespace could not be opened.");
  return { listeners, netFd: opened.netFd, userFd: opened.userFd };
}

/** Makes several, at once where that is cheaper, which listen at `more` ports, too. Rejects when this machine cannot. */
export async function makeNamespaces(count: number, more: readonly number[]): Promise<BareNamespace[]> {
  const tcp = [...new Set([...listenedPorts, ...more])];
  if (makesBatches) {
    const ports = { tcp, udp: dnsPort };
    const made = await makeBatch(count, ports, (one) => releaseNamespace({ ...one, userFd: null }));
    return made.map((one) => ({ ...one, userFd: null }));
  }
  const made = await Promise.allSettled(Array.from({ length: count }, () => makeNamespace(tcp)));
  const whole = made.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  if (whole.length === 0 && made[0]?.status === "rejected") throw made[0].reason;
  return whole;
}

/** Makes a namespace of another's making like one of `makeNamespace`, by a descriptor of its own. */
export async function furnishNamespace(foreignFd: number): Promise<BareNamespace> {
  const task = { prepare: true, tcp: listenedPorts, udp: [dnsPort] };
  const enter = ["nsenter", "--net=/proc/self/fd/4", "--"] as const;
  const netFd = openSync(`/proc/self/fd/${foreignFd}`, "r");
  try {
    return { listeners: await runHelper({ enter, descriptors: [netFd] }, task), netFd, userFd: null };
  } catch (error) {
    closeSync(netFd);
    throw error;
  }
}

/** Listens at further TCP ports of a living namespace. */
export async function listenAt(namespace: BareNamespace, ports: readonly number[]): Promise<Listeners> {
  const { netFd, userFd } = namespace;
  const user = userFd === null ? [] : ["--user=/proc/self/fd/5", "--preserve-credentials"];
  return runHelper(
    {
      enter: ["nsenter", ...user, "--net=/proc/self/fd/4", "--"],
      descriptors: userFd === null ? [netFd] : [netFd, userFd],
    },
    { prepare: false, tcp: ports, udp: [] },
  );
}

/** Stops listening at the TCP ports that are not wanted: what is inside may listen there. */
export function narrowed(namespace: BareNamespace, wanted: readonly number[]): BareNamespace {
  const { tcp, udp } = namespace.listeners;
  const isWanted = ({ port }: { port: number }): boolean => wanted.includes(port);
  closeListeners({ tcp: tcp.filter((one) => !isWanted(one)), udp: [] });
  return { ...namespace, listeners: { tcp: tcp.filter(isWanted), udp } };
}

/** Lets go of it: the kernel removes it when the last process and connection inside are gone. */
export function releaseNamespace(namespace: BareNamespace): void {
  closeListeners(namespace.listeners);
  closeSync(namespace.netFd);
  if (namespace.userFd !== null) closeSync(namespace.userFd);
}
