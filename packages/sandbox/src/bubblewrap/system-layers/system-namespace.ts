import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, writeFileSync } from "node:fs";
import { SandboxError } from "../../interface/errors.ts";
import { SYSTEM_IDS } from "../../interface/spec.ts";
import { HOLD_NAMESPACES } from "../launch/launch-program.ts";

/**
 * Opens a user namespace that maps only the ids that own systems. It lasts as long as the descriptor, which
 * the caller closes, and the processes in it. Needs root. Rejects with `SandboxError` when it cannot be made.
 */
export async function openSystemNamespace(): Promise<number> {
  const holder = spawn("unshare", ["--user", "sh", "-c", HOLD_NAMESPACES], {
    env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" },
    stdio: ["pipe", "pipe", "ignore"],
  });
  try {
    await Promise.race([
      once(holder.stdout, "data"),
      once(holder, "exit").then(() => Promise.reject(new SandboxError("no user namespace could be made"))),
    ]);
    const map = `0 ${SYSTEM_IDS.first} ${SYSTEM_IDS.count}\n`;
    const descriptor = openSync(`/proc/${holder.pid}/ns/user`, "r");
    try {
      for (const file of ["uid_map", "gid_map"]) writeFileSync(`/proc/${holder.pid}/${file}`, map);
      return descriptor;
    } catch (error) {
      closeSync(descriptor);
      throw error;
    }
  } finally {
    holder.stdin.on("error", () => {});
    holder.stdin.end();
  }
}
