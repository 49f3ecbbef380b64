import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { TestContext } from "node:test";

const LISTEN = `
use Socket;
socket(my $socket, AF_UNIX, SOCK_DGRAM, 0) or die "socket: $!";
bind($socket, pack_sockaddr_un($ARGV[0])) or die "bind: $!";
$| = 1;
print "bound\\n";
while (defined recv($socket, my $message, 4096, 0)) { $message =~ tr/\\n/\\t/; print "$message\\n" }
`;

/** Systemd's notification socket. A message is a list of assignments. */
export interface NotifySocket {
  path: string;
  /** Returns the next matching message, and drops those before it. */
  next(has: (assignments: string[]) => boolean): Promise<string[]>;
}

/** Opens the socket for a test, until its end. */
export async function notifySocket(t: TestContext): Promise<NotifySocket> {
  const directory = await mkdtemp(join(tmpdir(), "berth-notify-"));
  const path = join(directory, "socket");
  const listener = spawn("perl", ["-e", LISTEN, path], { stdio: ["ignore", "pipe", "inherit"] });
  t.after(async () => {
    const ended = once(listener, "exit");
    listener.kill("SIGKILL");
    await ended;
    await rm(directory, { recursive: true });
  });
  const lines = createInterface({ input: listener.stdout })[Symbol.asyncIterator]();
  await lines.next();
  return {
    path,
    async next(has) {
      for (;;) {
        const { value, done } = await lines.next();
        if (done) throw new Error("The socket was closed.");
        const assignments = value.split("\t");
        if (has(assignments)) return assignments;
      }
    },
  };
}
