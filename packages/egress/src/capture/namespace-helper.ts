import { type ChildProcess, spawn } from "node:child_process";
import type { Socket as DatagramSocket } from "node:dgram";
import { once } from "node:events";
import type { Server } from "node:net";

/** What a helper brings out of a namespace: listening sockets that live in it and belong to this process. */
export interface Listeners {
  tcp: { port: number; server: Server }[];
  udp: { port: number; socket: DatagramSocket }[];
}

export interface HelperTask {
  /** Runs before listening: brings the loopback up and makes every address local, those of IPv6 where the machine has it. */
  prepare: boolean;
  tcp: readonly number[];
  udp: readonly number[];
}

/** A helper lives for moments; one whose parent was killed before it could tell ends by itself. */
export const longestMs = 10_000;

/**
 * Runs in another process, inside the namespace: listens and hands the sockets over, one message each, then waits to be
 * told to go (by then the parent has them) or for the parent to be gone. Plain text, so that it needs no file of its own.
 */
const helperProgram = `
const { execFileSync } = require("node:child_process");
const net = require("node:net");
const dgram = require("node:dgram");
process.once("disconnect", () => process.exit());
setTimeout(() => process.exit(1), ${longestMs});
process.once("message", async ({ prepare, tcp, udp }) => {
  try {
    if (prepare) {
      execFileSync("ip", ["link", "set", "lo", "up"], { stdio: ["ignore", "ignore", "pipe"] });
      execFileSync("ip", ["route", "add", "local", "default", "dev", "lo"], { stdio: ["ignore", "ignore", "pipe"] });
      try {
        execFileSync("ip", ["-6", "route", "add", "local", "default", "dev", "lo"], { stdio: "ignore" });
      } catch {}
    }
    for (const port of tcp) await handTcp(port);
    for (const port of udp) await handUdp(port);
    process.send({ kind: "done" });
  } catch (error) {
    process.send({ kind: "failed", message: String(error.stderr || error.message).trim() });
  }
});
const send = (message, handle) =>
  new Promise((resolve, reject) => process.send(message, handle, (error) => (error ? reject(error) : resolve())));
const handTcp = (port) => handTcpAt("::", port).catch(() => handTcpAt("0.0.0.0", port));
const handTcpAt = (host, port) =>
  new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once("error", reject);
    server.listen({ port, host, backlog: 511 }, () => send({ kind: "tcp", port }, server).then(resolve, reject));
  });
const handUdp = (port) =>
  new Promise((resolve, reject) => {
    const socket = dgram.createSocket("udp4");
    socket.once("error", reject);
    socket.bind(port, "0.0.0.0", () => send({ kind: "udp", port }, socket).then(resolve, reject));
  });
process.send({ kind: "started" });
`;

type HelperMessage =
  | { kind: "started" }
  | { kind: "done" }
  | { kind: "tcp" | "udp"; port: number }
  | { kind: "failed"; message: string };

export interface HelperLaunch {
  /** Program and arguments that enter the namespace and run what follows. */
  enter: readonly [string, ...string[]];
  /** Descriptors that the helper gets as 4, 5, …. */
  descriptors: readonly number[];
}

/**
 * Runs one helper to its end. `inNamespace` is called with its process id while it still runs inside.
 * Rejects with an `Error` that says what failed; no listener is left behind then.
 */
export async function runHelper(
  launch: HelperLaunch,
  task: HelperTask,
  inNamespace: (pid: number) => void = () => {},
): Promise<Listeners> {
  const [program, ...before] = launch.enter;
  const helper = spawn(program, [...before, process.execPath, "--eval", helperProgram], {
    env: { PATH: `${process.env.PATH}:/usr/sbin:/sbin` },
    stdio: ["ignore", "ignore", "pipe", "ipc", ...launch.descriptors],
  });
  const listeners: Listeners = { tcp: [], udp: [] };
  try {
    await converse(helper, task, listeners);
    if (helper.pid !== undefined) inNamespace(helper.pid);
    return listeners;
  } catch (error) {
    closeListeners(listeners);
    throw error;
  } finally {
    await endHelper(helper);
  }
}

export function closeListeners({ tcp, udp }: Listeners): void {
  for (const { server } of tcp) server.close();
  for (const { socket } of udp) socket.close();
}

async function converse(helper: ChildProcess, task: HelperTask, listeners: Listeners): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let complaint = "";
  helper.stderr?.on("data", (chunk: Buffer) => {
    complaint += chunk.toString();
  });
  helper.once("error", reject);
  helper.once("close", () => reject(new Error(complaint.trim() || "The namespace helper ended early.")));
  helper.on("message", (message: HelperMessage, handle: unknown) => {
    if (message.kind === "started") helper.send(task);
    else if (message.kind === "tcp") listeners.tcp.push({ port: message.port, server: handle as Server });
    else if (message.kind === "udp")
      listeners.udp.push({ port: message.port, socket: handle as DatagramSocket });
    else if (message.kind === "failed") reject(new Error(message.message));
    else resolve();
  });
  await promise;
}

/** Kills it, and waits until it is gone. */
export async function endHelper(helper: ChildProcess): Promise<void> {
  if (helper.exitCode !== null || helper.signalCode !== null || helper.pid === undefined) return;
  const gone = once(helper, "exit");
  if (helper.connected) helper.disconnect();
  helper.kill("SIGKILL");
  await gone;
}
