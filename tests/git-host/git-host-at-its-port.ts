import { setTimeout as delay } from "node:timers/promises";
import { type GitHost, type GitHostOptions, startGitHost } from "./git-host.ts";

const LONGEST_WAIT_MS = 60_000;

/**
 * A git host at port 443, so that its name carries no port: the provider's command-line tool finds a clone's repository by
 * the name of its host alone. There is one such port on a machine, so it waits until another test has left it.
 */
export async function startGitHostAtItsPort(options: Omit<GitHostOptions, "port">): Promise<GitHost> {
  const until = performance.now() + LONGEST_WAIT_MS;
  for (;;) {
    try {
      return await startGitHost({ ...options, port: 443 });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE" || performance.now() > until) throw error;
      await delay(100);
    }
  }
}
