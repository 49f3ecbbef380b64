import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const PROGRAM = fileURLToPath(new URL("../scripts/notify.pl", import.meta.url));

/** The service manager that started this process and wants to hear of it: systemd, for a unit with `Type=notify`. */
export interface ServiceManager {
  /** How soon after each other it expects `WATCHDOG=1`; null when it does not watch this process. */
  readonly watchdogMs: number | null;
  /** Sends one message of these assignments, such as `READY=1`; see sd_notify(3). Never throws. */
  tell(...assignments: readonly string[]): void;
  close(): void;
}

/**
 * Null when no service manager wants to hear. Removes its variables from `env`, so that no child process is taken for the service.
 *
 * Messages are sent by a Perl process, since Node.js has no datagram sockets of Unix. It lives as long as this process: a sender
 * that ended at once could be gone before the manager has looked up which service it belongs to.
 */
export function openServiceManager(env: NodeJS.ProcessEnv = process.env): ServiceManager | null {
  const { NOTIFY_SOCKET: socket, WATCHDOG_USEC: microseconds, WATCHDOG_PID: watched } = env;
  for (const name of ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"]) delete env[name];
  if (socket === undefined || !/^[/@]./.test(socket)) return null;
  const isWatched = Number(microseconds) > 0 && (watched ?? `${process.pid}`) === `${process.pid}`;
  let sender: ChildProcess | undefined;
  return {
    watchdogMs: isWatched ? Number(microseconds) / 1_000 : null,
    tell(...assignments) {
      if (sender === undefined || sender.exitCode !== null || sender.signalCode !== null)
        sender = startSender(socket);
      const message = assignments.map((assignment) => assignment.replace(/\s+/g, " ")).join("\t");
      sender.stdin?.write(`${message}\n`);
    },
    close: () => sender?.stdin?.end(),
  };
}

function startSender(socket: string): ChildProcess {
  const sender = spawn("perl", [PROGRAM], {
    env: { PATH: process.env.PATH, NOTIFY_SOCKET: socket, LC_ALL: "C" },
    stdio: ["pipe", "ignore", "inherit"],
  });
  // A sender that could not start, or has ended, is replaced with the next message.
  sender.on("error", () => undefined);
  sender.stdin.on("error", () => undefined);
  sender.unref();
  return sender;
}
