import type { Administration } from "@berth/server";
import { clientFor, givenToken, requireUrl } from "../../shared/connection.ts";
import { UsageError } from "../../shared/failure.ts";
import type { OutputOptions } from "../../shared/formats.ts";
import { givenAuthorities, trustAuthorities } from "../../shared/trust-authorities.ts";
import { paletteFor } from "../../terminal/palette.ts";
import { plainLine } from "../../terminal/plain-text.ts";
import { printMessage } from "../../terminal/print.ts";
import { administrationByUrl } from "./admin-by-url.ts";
import { requireLinux } from "./require-linux.ts";

/** Options of every operator command. */
export interface AdminOptions extends OutputOptions {
  dataDir?: string;
  config?: string;
  url?: string;
  tokenFile?: string;
  caFile?: string;
}

/** A service that is administered through its API. */
interface Service {
  url: string;
  /** Source of the URL, for people. */
  from: string;
  token: string;
}

const OPERATOR_PREFIX = "berth_operator_";

/**
 * Runs `work` on the installation that the options and variables name: a service, by its URL and an operator
 * token, else the installation on this machine. Before that it prints to standard error which one it is, to
 * people and whenever there is a URL.
 */
export async function administer<T>(
  options: AdminOptions,
  work: (admin: Administration) => Promise<T>,
): Promise<T> {
  const service = await serviceOf(options);
  if (service !== null) {
    say(`Administering ${plainLine(service.url)} (${service.from})`, options);
    await trustAuthorities(service.url, givenAuthorities(options.caFile));
    return await work(administrationByUrl(clientFor(service.url, service.token)));
  }
  await requireLinux("admin");
  const [{ administrationOnMachine }, { operatorErrors }] = await Promise.all([
    import("@berth/server"),
    import("./operator-errors.ts"),
  ]);
  return await operatorErrors(async () => {
    const { dataDir, ...admin } = administrationOnMachine({
      "data-dir": options.dataDir,
      config: options.config,
    });
    // Scripts on the machine get no extra output when no other installation could be meant.
    if (process.env.BERTH_URL || process.stderr.isTTY)
      say(`Administering this machine (data directory ${plainLine(dataDir)})`, options);
    return await work(admin);
  });
}

/** Returns the service, or null for the installation on this machine. @throws UsageError if ambiguous. */
async function serviceOf({ url, tokenFile, dataDir, config }: AdminOptions): Promise<Service | null> {
  const isNamed = url !== undefined || tokenFile !== undefined;
  if (dataDir !== undefined || config !== undefined) {
    if (!isNamed) return null;
    throw new UsageError(
      "--data-dir and --config are for the installation on this machine, --url and --token-file for a service elsewhere: set those of one.",
    );
  }
  const given = url ?? (process.env.BERTH_URL || undefined);
  const token = await givenToken({ ...(tokenFile !== undefined && { tokenFile }) }).catch((error) => {
    // The installation on this machine needs no token, so a file that a variable names may be missing.
    if (isNamed || given !== undefined) throw error;
  });
  const isOperator = token?.startsWith(OPERATOR_PREFIX) ?? false;
  if (given === undefined) {
    if (!isNamed && !isOperator) return null;
    throw new UsageError(
      "An operator token is given, and no URL of its service: set --url or BERTH_URL, or name the installation on this machine by --data-dir.",
    );
  }
  if (token !== undefined && isOperator) {
    requireUrl(given);
    return { url: given, from: url === undefined ? "BERTH_URL" : "--url", token };
  }
  if (!isNamed) return null;
  throw new UsageError(
    "A service is administered with an operator token: set BERTH_TOKEN, BERTH_TOKEN_FILE or --token-file. To create one on its machine: berth admin operator-tokens create NAME",
  );
}

/** Prints to standard error, since standard output is for data only. */
function say(where: string, { quiet }: OutputOptions): void {
  if (quiet) return;
  printMessage(paletteFor(process.stderr).dim(where));
}
