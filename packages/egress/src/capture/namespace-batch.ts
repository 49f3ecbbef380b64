import { type ChildProcess, spawn } from "node:child_process";
import type { Socket as DatagramSocket } from "node:dgram";
import { openSync } from "node:fs";
import type { Server } from "node:net";
import { findProgram, isArchitecture } from "@berth/linux";
import { endHelper, type Listeners, longestMs } from "./namespace-helper.ts";
import { namespacesScript } from "./namespaces-script.ts";

/** A namespace and the sockets that listen in it. */
export interface Furnished {
  netFd: number;
  listeners: Listeners;
}

export interface ListenedPorts {
  tcp: readonly number[];
  udp: number;
}

/** Becomes of the process that made the namespaces: hands each over, and waits to be told to go or for the parent to be gone. */
const helperProgram = `
const net = require("node:net");
const dgram = require("node:dgram");
process.once("disconnect", () => process.exit());
setTimeout(() => process.exit(1), ${longestMs});
const send = (message, handle) =>
  new Promise((resolve, reject) => process.send(message, handle, (error) => (error ? reject(error) : resolve())));
const handTcp = (of, { port, fd }) =>
  new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once("error", reject);
    server.listen({ fd, backlog: 511 }, () => send({ kind: "tcp", of, port }, server).then(resolve, reject));
  });
const handUdp = (of, { port, fd }) =>
  new Promise((resolve, reject) => {
    const socket = dgram.createSocket("udp4");
    socket.once("error", reject);
    socket.bind({ fd }, () => send({ kind: "udp", of, port }, socket).then(resolve, reject));
  });
(async () => {
  for (const [of, { netFd, tcp, udp }] of JSON.parse(process.argv.at(-1)).entries()) {
    await send({ kind: "namespace", of, fd: netFd });
    for (const each of tcp) await handTcp(of, each);
    await handUdp(of, udp);
  }
  await send({ kind: "done" });
})().catch((error) => process.send({ kind: "failed", message: error.message }));
`;

type Message =
  | { kind: "namespace"; of: number; fd: number }
  | { kind: "tcp" | "udp"; of: number; port: number }
  | { kind: "done" }
  | { kind: "failed"; message: string };

/** Whether several can be made at once: as root, where there is Perl. */
export const makesBatches =
  process.getuid?.() === 0 && isArchitecture(process.arch) && findProgram("perl") !== null;

/**
 * Makes so many namespaces in one process: starting that costs more than all the rest.
 * Rejects with an `Error` that says what failed; what was made may be released by `release` then.
 */
export async function makeBatch(
  count: number,
  ports: ListenedPorts,
  release: (furnished: Furnished) => void,
): Promise<Furnished[]> {
  if (!isArchitecture(process.arch)) throw new Error(`${process.arch} is not known`);
  const made: Furnished[] = [];
  const words = [count, ports.udp, ...ports.tcp].map(String);
  const become = ["--", process.execPath, "--eval", helperProgram, "--"];
  const helper = spawn(
    findProgram("perl") ?? "",
    ["-e", namespacesScript(process.arch), "--", ...words, ...become],
    {
      env: {},
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    },
  );
  try {
    await receive(helper, made);
    return made;
  } catch (error) {
    for (const furnished of made) release(furnished);
    throw error;
  } finally {
    await endHelper(helper);
  }
}

async function receive(helper: ChildProcess, made: Furnished[]): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let complaint = "";
  helper.stderr?.on("data", (chunk: Buffer) => {
    complaint += chunk.toString();
  });
  helper.once("error", reject);
  helper.once("close", () => reject(new Error(complaint.trim() || "The namespace helper ended early.")));
  helper.on("message", (message: Message, handle: unknown) => {
    try {
      if (message.kind === "namespace") made.push(opened(helper, message.fd));
      else if (message.kind === "tcp")
        made[message.of]?.listeners.tcp.push({ port: message.port, server: handle as Server });
      else if (message.kind === "udp")
        made[message.of]?.listeners.udp.push({ port: message.port, socket: handle as DatagramSocket });
      else if (message.kind === "failed") reject(new Error(message.message));
      else resolve();
    } catch (error) {
      reject(error);
    }
  });
  await promise;
}

function opened({ pid }: ChildProcess, fd: number): Furnished {
  return { netFd: openSync(`/proc/${pid}/fd/${fd}`, "r"), listeners: { tcp: [], udp: [] } };
}
