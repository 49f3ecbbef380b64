import { chmod, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { UsageError } from "./failure.ts";
import { withLock } from "./with-lock.ts";

/** A service that somebody has logged in to. Its token is sent to this URL alone. */
export interface Context {
  url: string;
  token: string;
  /** Absolute path of a file of certificates that are trusted for it. Absent: those that the machine trusts. */
  caFile?: string | undefined;
}

/** What `berth login` stores for the user of this machine. */
export interface Contexts {
  /** Taken where no command, variable or data directory names another service. */
  current: string | null;
  contexts: Record<string, Context>;
}

const NONE: Contexts = { current: null, contexts: {} };

/** In the user's own directory, where no checkout of somebody else's repository can put it. */
export function contextsFile(): string {
  const directory = process.env.XDG_CONFIG_HOME || join(process.env.HOME || homedir(), ".config");
  return join(directory, "berth", "contexts.json");
}

/** @throws UsageError for a file that is there and cannot be used. */
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

/** @throws TypeError for what `changeContexts` did not write. */
function checked(file: Partial<Contexts>): Contexts {
  const { current = null, contexts = {} } = file;
  const isContext = ({ url, token, caFile = "" }: Partial<Context>) =>
    URL.canParse(url ?? "") && typeof token === "string" && typeof caFile === "string";
  if ((current === null || typeof current === "string") && Object.values(contexts).every(isContext))
    return { current, contexts };
  throw new TypeError("Not a file of contexts.");
}

/**
 * Changes the contexts that are stored. What another process stores meanwhile is not lost; nobody reads half a file, and nobody else can
 * read it.
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

/** @throws UsageError when there is none of this name. */
export function requireContext({ contexts }: Contexts, name: string): Context {
  const found = Object.hasOwn(contexts, name) ? contexts[name] : undefined;
  if (found !== undefined) return found;
  const known = Object.keys(contexts);
  const hint = known.length === 0 ? "Log in first: berth login URL" : `There are: ${known.join(", ")}.`;
  throw new UsageError(`There is no context '${name}'. ${hint}`);
}

/**
 * The token of the context that has this URL: of several, that of the current one.
 *
 * @throws UsageError for several of which none is the current one
 */
export function tokenFor({ current, contexts }: Contexts, url: string): string | undefined {
  const wanted = normal(url);
  const found = Object.entries(contexts).filter(([, one]) => normal(one.url) === wanted);
  const [, one] = found.find(([name]) => name === current) ?? (found.length === 1 ? (found[0] ?? []) : []);
  if (one !== undefined || found.length === 0) return one?.token;
  const names = found.map(([name]) => name).join(", ");
  throw new UsageError(`Several contexts have this URL: ${names}. Choose one by --context.`);
}

function normal(url: string): string {
  return new URL(url).href.replace(/\/$/, "");
}
