import { setTimeout as delay } from "node:timers/promises";
import { type GitHost, type GitHostOptions, startGitHost } from "./git-host.ts";
import { executeGraphql } from "./github/execute-graphql.ts";

/** Long, since cluster tests keep the port for minutes. */
const PORT_TIMEOUT_MS = 540_000;

/** Starts a git host whose API also answers GraphQL, which every command of `gh` asks. */
export function startGitHubHost(options: GitHostOptions = {}): Promise<GitHost> {
  return startGitHost({ ...options, graphql: executeGraphql });
}

/**
 * Starts a host for `gh` on port 443, so that its name has no port: `gh` identifies a clone's repository by
 * its host name alone. A machine has only one such port, so this waits up to nine minutes until another test
 * has released it.
 */
export async function startGitHostOnDefaultPort(
  options: Omit<GitHostOptions, "port"> & { dir: string },
): Promise<GitHost> {
  const deadline = performance.now() + PORT_TIMEOUT_MS;
  for (;;) {
    try {
      return await startGitHubHost({ ...options, port: 443 });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE" || performance.now() > deadline) throw error;
      await delay(100);
    }
  }
}
