import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import type { Egress } from "@berth/egress";

/**
 * Creates an `Egress` for tests. Each namespace has only a loopback interface, which is down, and nothing
 * listens.
 */
export function createFakeEgress(): Egress & { policies: unknown[] } {
  const policies: unknown[] = [];
  return {
    policies,
    async open() {
      const root = process.getuid?.() === 0;
      const options = root ? ["--net"] : ["--user", "--map-current-user", "--net"];
      const holder = spawn("unshare", [...options, "sh", "-c", "echo; read line"], {
        stdio: ["pipe", "pipe", "inherit"],
      });
      await new Promise((resolve) => holder.stdout.once("data", resolve));
      const netFd = openSync(`/proc/${holder.pid}/ns/net`, "r");
      const userFd = root ? null : openSync(`/proc/${holder.pid}/ns/user`, "r");
      holder.stdin.end();
      await new Promise((resolve) => holder.once("close", resolve));
      let open = true;
      return {
        netFd,
        userFd,
        setPolicy: (policy) => policies.push(policy),
        watchDenied: () => () => [],
        async close() {
          if (!open) return;
          open = false;
          closeSync(netFd);
          if (userFd !== null) closeSync(userFd);
        },
      };
    },
    async close() {},
  };
}
