import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";

/**
 * `<data-dir>/client.json`, by which clients on this machine find the service. `berth serve` writes `url`.
 */
export interface ClientFile {
  url?: string;
  /** File of a token, inside the data directory. Default: `token`. */
  token_file?: string;
}

/**
 * Reads the file, with `token_file` as an absolute path. Returns an empty object if there is no trustworthy
 * file.
 */
export async function readClientFile(dataDir: string): Promise<ClientFile> {
  const file = await read(dataDir);
  const token_file = resolve(dataDir, file.token_file ?? "token");
  return isLoopback(file.url) && isInside(dataDir, token_file) ? { url: file.url, token_file } : {};
}

/** Writes the given fields and keeps the others. The file is replaced atomically. */
export async function updateClientFile(dataDir: string, fields: ClientFile): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const path = join(dataDir, "client.json");
  const next = `${path}.${process.pid}`;
  await writeFile(next, `${JSON.stringify({ ...(await read(dataDir)), ...fields })}\n`, { mode: 0o600 });
  await rename(next, path);
}

async function read(dataDir: string): Promise<ClientFile> {
  try {
    return JSON.parse(await readFile(join(dataDir, "client.json"), "utf8")) as ClientFile;
  } catch {
    return {};
  }
}

/**
 * Returns whether a URL is a loopback URL. The default data directory is below the working directory, so a
 * checkout of someone else's repository can contain this file. It must not make the client send a token to
 * another machine, or send another file as the token.
 */
function isLoopback(url: string | undefined): url is string {
  if (typeof url !== "string" || !URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return /^https?:$/.test(protocol) && /^(localhost|\[::1\]|127\.\d+\.\d+\.\d+)$/.test(hostname);
}

function isInside(dir: string, path: string): boolean {
  return !relative(dir, path).startsWith("..");
}
