import { ConfigError, flagOf, readConfig, serve as startService, variables } from "@berth/server";
import { Command } from "commander";
import { updateClientFile } from "../../shared/client-file.ts";
import { exitCodes } from "../../shared/exit-codes.ts";
import { UsageError } from "../../shared/failure.ts";
import { printLine } from "../../terminal/print.ts";
import { serveSettings } from "./serve-settings.ts";

/** Runs the service until SIGTERM or SIGINT, which drain it. */
export async function serve(args: string[]): Promise<number> {
  const config = settingsOf(flagsOf(args));
  const stopped = askedToStop();
  const service = await startService(config).catch((error: Error) => {
    throw new UsageError(error.message, exitCodes.failed);
  });
  await updateClientFile(config.dataDir, { url: reachable(service.url) });
  printLine(`berth: listening on ${service.url}`);
  await stopped;
  await service.stop();
  process.exit(exitCodes.done);
}

/**
 * Resolves at the first SIGTERM or SIGINT. A later one ends the process at once, but not within the first second: a terminal and
 * the program that started this one may both send theirs, and the kernel sends one for each thread of a parent that was killed.
 */
function askedToStop(): Promise<void> {
  let first: number | null = null;
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      process.on(signal, () => {
        first ??= performance.now();
        if (performance.now() - first > 1000) process.exit(exitCodes.failed);
        resolve();
      });
    }
  });
}

function settingsOf(flags: Record<string, string>): ReturnType<typeof readConfig> {
  try {
    return readConfig(process.env, flags);
  } catch (error) {
    throw error instanceof ConfigError ? new UsageError(error.message) : error;
  }
}

/** The flags by name without the dashes, as the settings take them. */
function flagsOf(args: string[]): Record<string, string> {
  const command = new Command("berth serve")
    .description("Starts the service: API, runner, sandboxes, and the embedded PostgreSQL.")
    .exitOverride()
    .showHelpAfterError("(for help: --help)")
    .addHelpText("after", help);
  for (const variable of variables) {
    const [form, line] = serveSettings[variable] ?? ["<value>", variable];
    command.option(`${flagOf(variable)} ${form}`, line);
  }
  command.option("--database-url-file <file>", "file that holds the database's address");
  command.parse(args, { from: "user" });
  const names = [...variables.map(flagOf), "--database-url-file"].map((flag) => flag.slice(2));
  const values = command.opts<Record<string, string>>();
  return Object.fromEntries(names.flatMap((name) => pair(name, values[camelCase(name)])));
}

function pair(name: string, value: string | undefined): [string, string][] {
  return value === undefined ? [] : [[name, value]];
}

function camelCase(name: string): string {
  return name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

/** A client on this machine reaches a service that listens everywhere by loopback. */
function reachable(url: string): string {
  return url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");
}

const help = `
Each flag is also a variable: BERTH_DATA_DIR for --data-dir. When it can serve, it prints one line with its address
on standard output. Its log is JSON on standard error. SIGTERM drains it.

Example:
  $ berth serve --data-dir ./berth-data --port 4180`;
