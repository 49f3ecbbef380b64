import { closeSync, openSync } from "node:fs";
import type { Socket } from "node:net";
import { DEFAULT_PORTS, DNS_PORT } from "../network/ports.ts";
import { closeListeners, type Listeners, type ListenTask, openListeners } from "./listeners.ts";

interface Descriptors {
  netFd: number;
  /** Descriptor of the user namespace; null where this process is root. */
  userFd: number | null;
}

/** A network namespace in which every address is local, kept alive by descriptors, and its listeners. */
export interface BareNamespace extends Descriptors {
  listeners: Listeners;
}

const isRoot = process.getuid?.() === 0;

/**
 * Makes namespaces that listen at the default TCP ports, at `morePorts` and at UDP 53. Rejects when none can
 * be made. When this process is not root, each is in its own user namespace, in which this user is root. A
 * program that joins both with `nsenter --preserve-credentials` has capabilities in that namespace only.
 */
export async function makeNamespaces(count: number, morePorts: readonly number[]): Promise<BareNamespace[]> {
  const tcp = [...new Set([...DEFAULT_PORTS, ...morePorts])];
  if (isRoot) return makeTogether(count, tcp, []);
  const enter = ["unshare", "--user", "--map-root-user", "--"];
  const made = await Promise.allSettled(Array.from({ length: count }, () => makeTogether(1, tcp, enter)));
  const whole = made.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
  if (whole.length === 0 && made[0]?.status === "rejected") throw made[0].reason;
  return whole;
}

async function makeTogether(
  count: number,
  tcp: readonly number[],
  enter: readonly string[],
): Promise<BareNamespace[]> {
  const opened: Descriptors[] = [];
  const onNamespace = (pid: number, fd: number): void => {
    const netFd = openSync(`/proc/${pid}/fd/${fd}`, "r");
    opened.push({ netFd, userFd: isRoot ? null : openSync(`/proc/${pid}/ns/user`, "r") });
  };
  try {
    const listeners = await openListeners(
      { enter, task: ["make", count], tcp, udp: [DNS_PORT] },
      onNamespace,
    );
    return opened.map((descriptors, index) => ({
      ...descriptors,
      listeners: listeners[index] ?? { tcp: [], udp: [] },
    }));
  } catch (error) {
    for (const descriptors of opened) closeDescriptors(descriptors);
    throw error;
  }
}

/** Prepares a namespace that the caller made, as root. Duplicates its descriptor. */
export async function prepareNamespace(foreignFd: number): Promise<BareNamespace> {
  const netFd = openSync(`/proc/self/fd/${foreignFd}`, "r");
  try {
    const ports = { tcp: DEFAULT_PORTS, udp: [DNS_PORT] };
    return {
      listeners: await listenIn({ netFd, userFd: null }, { task: ["prepare"], ...ports }),
      netFd,
      userFd: null,
    };
  } catch (error) {
    closeSync(netFd);
    throw error;
  }
}

/** Listens at further TCP ports of an open namespace. Calls `onConnection` with every connection. */
export function listenAt(
  namespace: Descriptors,
  tcp: readonly number[],
  onConnection: (client: Socket) => void,
): Promise<Listeners> {
  return listenIn(namespace, { task: ["bind"], tcp, udp: [], onConnection });
}

async function listenIn({ netFd, userFd }: Descriptors, task: ListenTask): Promise<Listeners> {
  const user = userFd === null ? [] : ["--user=/proc/self/fd/5", "--preserve-credentials"];
  const enter = ["nsenter", ...user, "--net=/proc/self/fd/4", "--"];
  const descriptors = userFd === null ? [netFd] : [netFd, userFd];
  const [listeners] = await openListeners({ ...task, enter, descriptors });
  return listeners ?? { tcp: [], udp: [] };
}

/** Closes the listeners at TCP ports that are not wanted, so that programs inside can listen there. */
export function closeOtherPorts(namespace: BareNamespace, wanted: readonly number[]): BareNamespace {
  const { tcp, udp } = namespace.listeners;
  const isWanted = ({ port }: { port: number }): boolean => wanted.includes(port);
  closeListeners({ tcp: tcp.filter((one) => !isWanted(one)), udp: [] });
  return { ...namespace, listeners: { tcp: tcp.filter(isWanted), udp } };
}

/** Closes the listeners and descriptors. The kernel removes the namespace when nothing is left in it. */
export function releaseNamespace(namespace: BareNamespace): void {
  closeListeners(namespace.listeners);
  closeDescriptors(namespace);
}

function closeDescriptors({ netFd, userFd }: Descriptors): void {
  closeSync(netFd);
  if (userFd !== null) closeSync(userFd);
}
