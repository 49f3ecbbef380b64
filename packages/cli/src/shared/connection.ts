import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { Berth, type Logger } from "@berth/sdk";
import { paletteFor } from "../terminal/palette.ts";
import { type ClientFile, readClientFile } from "./client-file.ts";
import { EXIT_CODES } from "./exit-codes.ts";
import { UsageError } from "./failure.ts";
import { secretFile } from "./secret.ts";
import { version } from "./version.ts";

/** Options of every command that calls a server. */
export interface ConnectionOptions {
  url?: string;
  tokenFile?: string;
  dataDir?: string;
}

/**
 * Creates a client. The URL and the token come from flags, else from `BERTH_URL`, `BERTH_TOKEN` and `BERTH_TOKEN_FILE`,
 * else from `client.json` in the data directory.
 */
export async function connect(options: ConnectionOptions): Promise<Berth> {
  const { baseURL, known } = await locate(options);
  // The token of client.json is for the server of client.json, not for one that a flag or a variable names.
  const token = await tokenOf(options, baseURL === known.url ? known.token_file : undefined);
  return new Berth({ baseURL, token, logger, defaultHeaders: { "user-agent": `berth-cli/${version}` } });
}

/** The URL of the server that `connect` takes. */
export async function serverUrl(options: ConnectionOptions): Promise<string> {
  return (await locate(options)).baseURL;
}

async function locate(options: ConnectionOptions): Promise<{ baseURL: string; known: ClientFile }> {
  const known = await readClientFile(resolve(options.dataDir ?? defaultDataDir()));
  const baseURL = options.url ?? process.env.BERTH_URL ?? known.url;
  if (baseURL === undefined) {
    throw new UsageError("No server is known. Set its URL by --url or BERTH_URL, or start one: berth serve");
  }
  if (!URL.canParse(baseURL))
    throw new UsageError("The server's URL is not valid. It must be like http://127.0.0.1:4180.");
  return { baseURL, known };
}

/** `BERTH_DATA_DIR`, else `.berth` in the working directory. */
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
    "No token is known. Set BERTH_TOKEN, BERTH_TOKEN_FILE or --token-file. To create one: berth token create --user you@example.com",
    EXIT_CODES.notAllowed,
  );
}

/** Prints why the client is waiting. */
const logger: Logger = {
  debug: () => undefined,
  warn: (message, { error, wait_ms }) => {
    if (message === "stream lost" && error === null) return;
    const { dim } = paletteFor(process.stderr);
    const reason = String(error).replace(/^\w+: /, "");
    process.stderr.write(dim(`${reason} Retrying in ${Number(wait_ms) / 1000} s.\n`));
  },
};
