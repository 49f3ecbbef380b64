import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const PROGRAM = fileURLToPath(new URL("../scripts/notify.pl", import.meta.url));

/**
 * The service manager that started this process and expects notifications: systemd, for a unit with
 * `Type=notify`.
 */
export interface ServiceManager {
  /** Milliseconds within which it expects the next `WATCHDOG=1`; null when it does not watch this process. */
  readonly watchdogMs: number | null;
  /** Sends one message with these assignments, such as `READY=1`; see sd_notify(3). Never throws. */
  tell(...assignments: readonly string[]): void;
  close(): void;
}

/**
 * Returns null when no service manager expects notifications. It removes the manager's variables from `env`,
 * so that no child process is taken for the service.
 *
 * A Perl process sends the messages, since Node.js has no Unix datagram sockets. It runs until this process
 * ends. A sender that exits at once could be gone before the manager has looked up its service.
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
  // The next message starts a new sender in place of one that failed to start or has ended.
  sender.on("error", () => undefined);
  sender.stdin.on("error", () => undefined);
  sender.unref();
  return sender;
}
