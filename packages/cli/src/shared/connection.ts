import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { Berth, type Logger } from "@berth/sdk";
import { paletteFor } from "../terminal/palette.ts";
import { readClientFile } from "./client-file.ts";
import { exitCodes } from "./exit-codes.ts";
import { UsageError } from "./failure.ts";
import { secretFile } from "./secret.ts";
import { version } from "./version.ts";

/** Options of every command that speaks with a server. */
export interface ConnectionOptions {
  url?: string;
  tokenFile?: string;
  dataDir?: string;
}

/** Address and token: flags, then `BERTH_URL`, `BERTH_TOKEN` and `BERTH_TOKEN_FILE`, then `client.json` of the data directory. */
export async function connect(options: ConnectionOptions): Promise<Berth> {
  const known = await readClientFile(resolve(options.dataDir ?? defaultDataDir()));
  const baseURL = options.url ?? process.env.BERTH_URL ?? known.url;
  if (baseURL === undefined) {
    throw new UsageError(
      "No server is known. Give its address by --url or BERTH_URL, or start one: berth serve",
    );
  }
  if (!URL.canParse(baseURL))
    throw new UsageError("The server's address must be a URL such as http://127.0.0.1:8080.");
  // The token of the file belongs to the server of the file, not to any that a variable names.
  const token = await tokenOf(options, baseURL === known.url ? known.token_file : undefined);
  return new Berth({ baseURL, token, logger, defaultHeaders: { "user-agent": `berth-cli/${version}` } });
}

/** Where an installation keeps its state when nobody says otherwise: `BERTH_DATA_DIR`, else `.berth` below the working directory. */
export function defaultDataDir(): string {
  return resolve(process.env.BERTH_DATA_DIR || ".berth");
}

async function tokenOf({ tokenFile }: ConnectionOptions, ownFile: string | undefined): Promise<string> {
  if (tokenFile !== undefined) return secretFile(tokenFile);
  const { BERTH_TOKEN, BERTH_TOKEN_FILE } = process.env;
  if (BERTH_TOKEN) return BERTH_TOKEN.trim();
  if (BERTH_TOKEN_FILE) return secretFile(BERTH_TOKEN_FILE);
  if (ownFile !== undefined && existsSync(ownFile)) return secretFile(ownFile);
  throw new UsageError(
    "No token is known. Set BERTH_TOKEN or BERTH_TOKEN_FILE, or give --token-file. To make one: berth token create --user you@example.com",
    exitCodes.notAllowed,
  );
}

/** Whoever waits at a terminal hears why. */
const logger: Logger = {
  debug: () => undefined,
  warn: (message, { error, wait_ms }) => {
    if (message === "stream lost" && error === null) return;
    const { dim } = paletteFor(process.stderr);
    const reason = String(error).replace(/^\w+: /, "");
    process.stderr.write(dim(`${reason} Trying again in ${Number(wait_ms) / 1000} s.\n`));
  },
};
