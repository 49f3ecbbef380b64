import { once } from "node:events";
import { ConfigError, placedFaults, unknownVariables } from "@berth/server/settings";
import { updateClientFile } from "../../shared/client-file.ts";
import { EXIT_CODES } from "../../shared/exit-codes.ts";
import { printError, UsageError } from "../../shared/failure.ts";
import { printLine } from "../../terminal/print.ts";
import { settingsFrom } from "./setting-flags.ts";

/**
 * Runs the service until SIGTERM or SIGINT, then shuts it down gracefully. A signal during the start aborts
 * the start. Always exits, so that no open resource can keep the process alive.
 */
export async function serve(args: string[]): Promise<never> {
  const values = settingsFrom(args, {
    name: "berth serve",
    description: "Start the service: API, runner, sandboxes, and the embedded PostgreSQL.",
    help: HELP,
  });
  const { config } = values;
  const stop = askedToStop();
  try {
    const runner = config.role === "api" || config.role === "egress" ? undefined : await forkedRunner();
    const { serve: startService } = await import("@berth/server/serve");
    const service = await placedFaults(values, () =>
      startService(config, stop, unknownVariables(process.env), runner),
    );
    if (config.role === "runner") printLine(`berth: runs sessions; health and metrics at ${service.url}`);
    else if (config.role === "egress")
      printLine(`berth: accepts tunnels at ${config.egressAddress}; health and metrics at ${service.url}`);
    else await tellClients(config, service.url);
    if (!stop.aborted) await once(stop, "abort");
    await service.stop();
  } catch (error) {
    const code = error instanceof ConfigError ? EXIT_CODES.usage : EXIT_CODES.failed;
    if (!stop.aborted) process.exit(printError(new UsageError((error as Error).message, code)));
  }
  process.exit(EXIT_CODES.done);
}

/** Forks the process for sessions, which loads while the service does. */
async function forkedRunner() {
  const { forkRunner } = await import("@berth/server/fork-runner");
  return forkRunner();
}

async function tellClients(
  { dataDir, publicUrl }: { dataDir: string; publicUrl: string | null },
  url: string,
): Promise<void> {
  await updateClientFile(dataDir, { url: reachable(url) });
  printLine(`berth: listening on ${url}`);
  if (publicUrl !== null) printLine(`berth: clients use ${publicUrl}`);
}

/**
 * Returns a signal that aborts at the first SIGTERM or SIGINT. A later one ends the process at once, unless
 * it comes within the first second. The terminal and the parent process may both send one, and the kernel
 * sends one per thread of a killed parent.
 */
function askedToStop(): AbortSignal {
  const stop = new AbortController();
  let first: number | null = null;
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.on(signal, () => {
      first ??= performance.now();
      if (performance.now() - first > 1000) process.exit(EXIT_CODES.failed);
      stop.abort(new Error("The service was asked to stop."));
    });
  }
  return stop.signal;
}

/** Returns the URL for clients on this machine: loopback if the service listens on all addresses. */
function reachable(url: string): string {
  return url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");
}

const HELP = `
Each flag can also be set as a variable (BERTH_DATA_DIR for --data-dir) and in the settings file (data_dir). A flag wins
over a variable, and a variable over the file. The settings file is the one that --config or BERTH_CONFIG names, else
berth/berth.yaml in $XDG_CONFIG_HOME (~/.config) or in /etc. 'berth config print' shows the values in effect.

When the service is ready, it prints a line with its URL to standard output. It logs JSON to standard error. SIGTERM
shuts it down gracefully.

Example:
  $ berth serve --data-dir ./berth-data --port 4180`;
