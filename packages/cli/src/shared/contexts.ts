import { chmod, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { UsageError } from "./failure.ts";
import { withLock } from "./with-lock.ts";

/** A service that the user has logged in to. Its token is sent only to this URL. */
export interface Context {
  url: string;
  token: string;
  /** Absolute path of a file of further trusted certificates. Default: only the machine's are trusted. */
  caFile?: string | undefined;
}

/** The data that `berth login` stores for the user of this machine. */
export interface Contexts {
  /** Context that is used where no command, variable or data directory names a service; null for none. */
  current: string | null;
  contexts: Record<string, Context>;
}

const NONE: Contexts = { current: null, contexts: {} };

/**
 * Returns the path of the contexts file. It is in the user's own directory, where no checkout of somebody
 * else's repository can put it.
 */
export function contextsFile(): string {
  const directory = process.env.XDG_CONFIG_HOME || join(process.env.HOME || homedir(), ".config");
  return join(directory, "berth", "contexts.json");
}

/** Reads the contexts. Returns none if there is no file. @throws UsageError if it cannot be used. */
export async function readContexts(): Promise<Contexts> {
  const path = contextsFile();
  try {
    return checked(JSON.parse(await readFile(path, "utf8")));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return NONE;
    throw new UsageError(
      `The contexts in ${path} cannot be read. Remove the file, and log in again with berth login.`,
    );
  }
}

/** Validates the content of the file. @throws TypeError if `changeContexts` cannot have written it. */
function checked(file: Partial<Contexts>): Contexts {
  const { current = null, contexts = {} } = file;
  const isContext = ({ url, token, caFile = "" }: Partial<Context>) =>
    URL.canParse(url ?? "") && typeof token === "string" && typeof caFile === "string";
  if ((current === null || typeof current === "string") && Object.values(contexts).every(isContext))
    return { current, contexts };
  throw new TypeError("Not a file of contexts.");
}

/**
 * Changes the stored contexts. The change is atomic, loses no concurrent change of another process, and
 * writes a file that only this user can read.
 */
export async function changeContexts(change: (known: Contexts) => Contexts): Promise<void> {
  const path = contextsFile();
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await withLock(path, async () => {
    const next = `${path}.${process.pid}`;
    await writeFile(next, `${JSON.stringify(change(await readContexts()), null, 2)}\n`, { mode: 0o600 });
    await chmod(next, 0o600);
    await rename(next, path);
  });
}

/** Returns the context of this name. @throws UsageError when it does not exist. */
export function requireContext({ contexts }: Contexts, name: string): Context {
  const found = Object.hasOwn(contexts, name) ? contexts[name] : undefined;
  if (found !== undefined) return found;
  const known = Object.keys(contexts);
  const hint = known.length === 0 ? "Log in first: berth login URL" : `There are: ${known.join(", ")}.`;
  throw new UsageError(`There is no context '${name}'. ${hint}`);
}

/**
 * Returns the token of the context with this URL; of several, that of the current one.
 * @throws UsageError if there are several and none is the current one.
 */
export function tokenFor({ current, contexts }: Contexts, url: string): string | undefined {
  const wanted = normal(url);
  const found = Object.entries(contexts).filter(([, one]) => normal(one.url) === wanted);
  const [, one] = found.find(([name]) => name === current) ?? (found.length === 1 ? (found[0] ?? []) : []);
  if (one !== undefined || found.length === 0) return one?.token;
  const names = found.map(([name]) => name).join(", ");
  throw new UsageError(`Several contexts have this URL: ${names}. Choose one with --context.`);
}

function normal(url: string): string {
  return new URL(url).href.replace(/\/$/, "");
}
