import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { Berth, type Logger } from "@berth/sdk";
import { paletteFor } from "../terminal/palette.ts";
import { type ClientFile, readClientFile } from "./client-file.ts";
import { type Contexts, readContexts, requireContext, tokenFor } from "./contexts.ts";
import { EXIT_CODES } from "./exit-codes.ts";
import { UsageError } from "./failure.ts";
import { secretFile } from "./secret.ts";
import { givenAuthorities, trustAuthorities } from "./trust-authorities.ts";
import { version } from "./version.ts";

/** Options of every command that calls a server. */
export interface ConnectionOptions {
  url?: string;
  context?: string;
  tokenFile?: string;
  dataDir?: string;
  caFile?: string;
}

/** User agent of this program. */
export const userAgent = `berth-cli/${version}`;

/** A service and its token. */
interface Target {
  baseURL: string;
  /** Source of the URL, for people. */
  from: string;
  /** File of additional trusted certificates. */
  caFile?: string | undefined;
  token(): Promise<string>;
}

/**
 * Creates a client of the service that the options and variables select.
 * @param check Throws for a token of the wrong kind. Default: any token is sent.
 */
export async function connect(
  options: ConnectionOptions,
  check: (token: string) => void = () => undefined,
): Promise<Berth> {
  const { baseURL, token, caFile } = await locate(options);
  const given = await token();
  check(given);
  await trustAuthorities(baseURL, givenAuthorities(options.caFile) ?? caFile);
  return clientFor(baseURL, given);
}

/** Returns whether a token is an operator's: only such a token serves `berth admin`, and nothing else. */
export function isOperatorToken(token: string): boolean {
  return token.startsWith("berth_operator_");
}

/** Creates a client of a known service, with its token. */
export function clientFor(baseURL: string, token: string): Berth {
  return new Berth({ baseURL, token, logger, defaultHeaders: { "user-agent": userAgent } });
}

/** Returns the URL of the service that `connect` selects, and its source. */
export async function serviceOf(options: ConnectionOptions): Promise<{ url: string; from: string }> {
  const { baseURL, from } = await locate(options);
  return { url: baseURL, from };
}

/**
 * Selects the service and its token. A context, if one is named, supplies both the URL and the token; so does
 * the current context, where no URL, token or data directory is given. A token of a flag or variable is for
 * the URL of a flag or variable, else for the service of the data directory.
 */
async function locate(options: ConnectionOptions): Promise<Target> {
  const { context, url, tokenFile } = options;
  if (context !== undefined && url !== undefined)
    throw new UsageError("Set either --url or --context, not both: a context has its URL.");
  if (context !== undefined && tokenFile !== undefined)
    throw new UsageError("Set either --token-file or --context, not both: a context has its token.");
  const named =
    context ?? (url === undefined && tokenFile === undefined ? process.env.BERTH_CONTEXT : undefined);
  if (named) return ofContext(await readContexts(), named);
  const given = url ?? process.env.BERTH_URL;
  if (given !== undefined) return await ofUrl(options, given);
  if (!namesInstallation(options) && !hasToken(options)) {
    const contexts = await readContexts();
    if (contexts.current !== null) return ofContext(contexts, contexts.current);
  }
  return await ofDataDirectory(options);
}

function ofContext(contexts: Contexts, name: string): Target {
  const { url, token, caFile } = requireContext(contexts, name);
  return { baseURL: url, from: `context '${name}'`, caFile, token: async () => token };
}

async function ofUrl(options: ConnectionOptions, baseURL: string): Promise<Target> {
  requireUrl(baseURL);
  const token = async () => {
    const first = (await givenToken(options)) ?? tokenFor(await readContexts(), baseURL);
    if (first !== undefined) return first;
    const known = await readClientFile(resolve(options.dataDir ?? defaultDataDir()));
    // The token of client.json is only for its own server, not for one that a flag or variable names.
    return await ownToken(baseURL === known.url ? known : {});
  };
  return { baseURL, from: options.url === undefined ? "BERTH_URL" : "--url", token };
}

/** Requires an http or https URL. @throws UsageError */
export function requireUrl(baseURL: string): void {
  if (!/^https?:$/.test(URL.parse(baseURL)?.protocol ?? ""))
    throw new UsageError("The server's URL is not valid. It must be like http://127.0.0.1:4180.");
}

async function ofDataDirectory(options: ConnectionOptions): Promise<Target> {
  const directory = resolve(options.dataDir ?? defaultDataDir());
  const known = await readClientFile(directory);
  if (known.url === undefined)
    throw new UsageError(
      "No service is set. Log in to one (berth login URL), set its URL with --url or BERTH_URL, or start one: berth serve",
    );
  return {
    baseURL: known.url,
    from: `data directory ${directory}`,
    token: async () => (await givenToken(options)) ?? (await ownToken(known)),
  };
}

function namesInstallation({ dataDir }: ConnectionOptions): boolean {
  return dataDir !== undefined || Boolean(process.env.BERTH_DATA_DIR);
}

function hasToken({ tokenFile }: ConnectionOptions): boolean {
  return tokenFile !== undefined || Boolean(process.env.BERTH_TOKEN || process.env.BERTH_TOKEN_FILE);
}

/** Returns `BERTH_DATA_DIR`, else `.berth` in the working directory. */
export function defaultDataDir(): string {
  return resolve(process.env.BERTH_DATA_DIR || ".berth");
}

/** Returns the token of a flag, else of a variable, else undefined. */
export async function givenToken({
  tokenFile,
}: Pick<ConnectionOptions, "tokenFile">): Promise<string | undefined> {
  if (tokenFile !== undefined) return secretFile(tokenFile);
  const { BERTH_TOKEN, BERTH_TOKEN_FILE } = process.env;
  if (BERTH_TOKEN) return BERTH_TOKEN.trim();
  return BERTH_TOKEN_FILE ? secretFile(BERTH_TOKEN_FILE) : undefined;
}

async function ownToken({ token_file: file }: ClientFile): Promise<string> {
  if (file !== undefined && existsSync(file)) return secretFile(file);
  throw new UsageError(
    "No token is set. Log in (berth login URL), or set BERTH_TOKEN, BERTH_TOKEN_FILE or --token-file. To create one, on the host of the service: berth bootstrap --user you@example.com",
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
