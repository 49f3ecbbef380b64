import { once } from "node:events";
import { ConfigError, flagOf, readConfig, serve as startService, VARIABLES } from "@berth/server";
import { Command } from "commander";
import { updateClientFile } from "../../shared/client-file.ts";
import { EXIT_CODES } from "../../shared/exit-codes.ts";
import { printError, UsageError } from "../../shared/failure.ts";
import { printLine } from "../../terminal/print.ts";
import { SETTINGS_HELP } from "./serve-settings.ts";

/**
 * Runs the service until SIGTERM or SIGINT, then shuts it down gracefully. A signal that comes while it starts ends the start.
 * Always exits: nothing that is left open can keep the process.
 */
export async function serve(args: string[]): Promise<never> {
  const config = settingsOf(flagsOf(args));
  const stop = askedToStop();
  try {
    const service = await startService(config, stop);
    await updateClientFile(config.dataDir, { url: reachable(service.url) });
    printLine(`berth: listening on ${service.url}`);
    if (!stop.aborted) await once(stop, "abort");
    await service.stop();
  } catch (error) {
    if (!stop.aborted) process.exit(printError(new UsageError((error as Error).message, EXIT_CODES.failed)));
  }
  process.exit(EXIT_CODES.done);
}

/**
 * Aborts at the first SIGTERM or SIGINT. A later one ends the process at once, but not within the first second: the
 * terminal and the parent process may both send one, and the kernel sends one per thread of a parent that was killed.
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

function settingsOf(flags: Record<string, string>): ReturnType<typeof readConfig> {
  try {
    return readConfig(process.env, flags);
  } catch (error) {
    throw error instanceof ConfigError ? new UsageError(error.message) : error;
  }
}

/** Parses the flags. The result is keyed by the flag's name without dashes. */
function flagsOf(args: string[]): Record<string, string> {
  const command = new Command("berth serve")
    .description("Start the service: API, runner, sandboxes, and the embedded PostgreSQL.")
    .exitOverride()
    .showHelpAfterError("Run with --help for usage.")
    .addHelpText("after", HELP);
  for (const variable of VARIABLES) {
    const [form, line] = SETTINGS_HELP[variable] ?? ["<value>", variable];
    command.option(`${flagOf(variable)} ${form}`, line);
  }
  command.option("--database-url-file <file>", "file that contains the database URL");
  command.parse(args, { from: "user" });
  const names = [...VARIABLES.map(flagOf), "--database-url-file"].map((flag) => flag.slice(2));
  const values = command.opts<Record<string, string>>();
  return Object.fromEntries(names.flatMap((name) => pair(name, values[camelCase(name)])));
}

function pair(name: string, value: string | undefined): [string, string][] {
  return value === undefined ? [] : [[name, value]];
}

function camelCase(name: string): string {
  return name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

/** The URL for clients on this machine: loopback, if the service listens on all addresses. */
function reachable(url: string): string {
  return url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");
}

const HELP = `
Each flag can also be set as a variable: BERTH_DATA_DIR for --data-dir. When the service is ready, it prints a line with
its URL to standard output. It logs JSON to standard error. SIGTERM shuts it down gracefully.

Example:
  $ berth serve --data-dir ./berth-data --port 4180`;
