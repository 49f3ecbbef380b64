import { type ChildProcess, spawn } from "node:child_process";
import type { Socket as DatagramSocket } from "node:dgram";
import { once } from "node:events";
import type { Server, Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { findProgram, perlProgram } from "@berth/linux";

const BIND_PORTS = perlProgram(new URL("../../scripts/bind-ports.pl", import.meta.url));
const HAND_OVER = fileURLToPath(new URL("../../scripts/hand-over-listeners.js", import.meta.url));

/** Sockets that listen in a network namespace and belong to this process. */
export interface Listeners {
  tcp: { port: number; server: Server }[];
  udp: { port: number; socket: DatagramSocket }[];
}

/** Task of the helper process, and the namespaces in which it runs. */
export interface ListenTask {
  /** Program and arguments that enter a namespace and run the command that follows. Default: none. */
  enter?: readonly string[];
  /** Descriptors that `enter` inherits as 4, 5, …. */
  descriptors?: readonly number[];
  /** `make` and the number of namespaces, `prepare` or `bind`: see scripts/bind-ports.pl. */
  task: readonly ["make", number] | readonly ["prepare" | "bind"];
  tcp: readonly number[];
  udp: readonly number[];
  /**
   * Called with each TCP connection from the first one on. Connections made before a later handler is
   * attached are lost.
   */
  onConnection?: (client: Socket) => void;
}

type HelperMessage =
  | { kind: "namespace"; index: number; fd: number }
  | { kind: "tcp" | "udp"; index: number; port: number }
  | { kind: "done" }
  | { kind: "failed"; message: string };

/**
 * Listens in network namespaces through a helper process that enters or makes them. One process serves all
 * namespaces, since starting it costs more than everything that it does. Returns the listeners of each
 * namespace. Rejects with an `Error` that says what failed, after closing all listeners.
 * @param onNamespace Called while the helper runs, with its process id and its descriptor of each namespace.
 */
export async function openListeners(
  { enter = [], descriptors = [], task, tcp, udp, onConnection = () => {} }: ListenTask,
  onNamespace: (pid: number, fd: number) => void = () => {},
): Promise<Listeners[]> {
  const perl = findProgram("perl");
  if (perl === null) throw new Error("perl is missing (package perl-base)");
  const ports = [...tcp.map((port) => `tcp/${port}`), ...udp.map((port) => `udp/${port}`)];
  const binder = [perl, "-e", BIND_PORTS, "--", ...task.map(String), ...ports];
  const [program = perl, ...words] = [...enter, ...binder, "--", process.execPath, HAND_OVER];
  const helper = spawn(program, words, {
    env: { PATH: process.env.PATH },
    stdio: ["ignore", "ignore", "pipe", "ipc", ...descriptors],
  });
  const listeners: Listeners[] = [];
  try {
    await receive(helper, (message, handle) => {
      const own = "index" in message ? listeners[message.index] : undefined;
      if (message.kind === "namespace") {
        onNamespace(helper.pid ?? 0, message.fd);
        listeners[message.index] = { tcp: [], udp: [] };
      } else if (message.kind === "tcp") {
        const server = handle as Server;
        own?.tcp.push({ port: message.port, server: server.on("connection", onConnection) });
      } else if (message.kind === "udp") {
        own?.udp.push({ port: message.port, socket: handle as DatagramSocket });
      }
    });
    return listeners;
  } catch (error) {
    for (const each of listeners) closeListeners(each);
    throw error;
  } finally {
    await kill(helper);
  }
}

export function closeListeners({ tcp, udp }: Listeners): void {
  for (const { server } of tcp) server.close();
  for (const { socket } of udp) socket.close();
}

async function receive(
  helper: ChildProcess,
  onMessage: (message: HelperMessage, handle: unknown) => void,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let stderr = "";
  helper.stderr?.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  helper.once("error", reject);
  helper.once("close", () => reject(new Error(stderr.trim() || "The namespace helper ended early.")));
  helper.on("message", (message: HelperMessage, handle: unknown) => {
    try {
      if (message.kind === "done") resolve();
      else if (message.kind === "failed") reject(new Error(message.message));
      else onMessage(message, handle);
    } catch (error) {
      reject(error);
    }
  });
  await promise;
}

async function kill(helper: ChildProcess): Promise<void> {
  if (helper.exitCode !== null || helper.signalCode !== null || helper.pid === undefined) return;
  const exited = once(helper, "exit");
  if (helper.connected) helper.disconnect();
  helper.kill("SIGKILL");
  await exited;
}
