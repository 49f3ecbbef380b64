import { createWriteStream } from "node:fs";
import { mkdir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, posix } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { APIError, type Berth, type WorkspaceEntry } from "@berth/sdk";
import { type ConnectionOptions, connect } from "../../shared/connection.ts";
import { UsageError } from "../../shared/failure.ts";
import type { OutputOptions } from "../../shared/formats.ts";
import { isLocalName } from "../../shared/local-name.ts";
import { printResult } from "../../shared/output.ts";
import { plainLine } from "../../terminal/plain-text.ts";
import { printMessage } from "../../terminal/print.ts";
import { workspacePath } from "./workspace-path.ts";

interface Copied {
  /** Path in the sandbox; `to` is the path on this machine. */
  from: string;
  to: string;
}

/**
 * Copies a file or a directory out of a session's sandbox, and prints the paths of the copies. Leaves out and
 * names links, special files, names that would lead out of the destination, and names that are reserved on
 * this system. A file that could not be copied completely is removed.
 */
export async function copyFiles(
  id: string,
  given: string,
  destination: string | undefined,
  options: ConnectionOptions & OutputOptions,
): Promise<number | undefined> {
  const client = await connect(options);
  const from = workspacePath(given);
  const to = await targetOf(from, destination);
  const copy = new Copy(client, id);
  if (await isDirectory(client, id, from)) await copy.directory(from, to);
  else await copy.file(from, to);
  for (const left of copy.leftOut) if (!options.quiet) printMessage(`left out: ${plainLine(left)}`);
  await printResult({ data: copy.copied }, options, () => copy.copied.map((one) => plainLine(one.to)));
  return copy.leftOut.length === 0 ? undefined : 1;
}

class Copy {
  readonly copied: Copied[] = [];
  readonly leftOut: string[] = [];
  readonly #client: Berth;
  readonly #id: string;

  constructor(client: Berth, id: string) {
    this.#client = client;
    this.#id = id;
  }

  async directory(from: string, to: string): Promise<void> {
    await mkdir(to, { recursive: true });
    for await (const entry of this.#client.sessions.workspace.list(this.#id, { path: from, limit: 100 }))
      await this.#entry(entry, from, to);
  }

  async file(from: string, to: string): Promise<void> {
    const { body } = await this.#client.sessions.workspace.content(this.#id, { path: from });
    const partial = join(dirname(to), `.${basename(to)}.berth-partial`);
    try {
      const source = body === null ? Readable.from([]) : Readable.fromWeb(body);
      await pipeline(source, createWriteStream(partial));
      await rename(partial, to);
    } catch (error) {
      await rm(partial, { force: true });
      throw error;
    }
    this.copied.push({ from, to });
  }

  /** Copies an entry. Ignores the path in the listing: an entry is in the directory that was listed. */
  async #entry({ type, name, path, target }: WorkspaceEntry, from: string, to: string): Promise<void> {
    const isCopied = path !== null && isLocalName(name);
    if (isCopied && type === "directory") await this.directory(posix.join(from, name), join(to, name));
    else if (isCopied && type === "file") await this.file(posix.join(from, name), join(to, name));
    else this.leftOut.push(`${from}/${name}${target === null ? ` (${type})` : ` → ${target}`}`);
  }
}

async function isDirectory(client: Berth, id: string, path: string): Promise<boolean> {
  try {
    await client.sessions.workspace.list(id, { path, limit: 1 });
    return true;
  } catch (error) {
    if (error instanceof APIError && error.code === "not_a_directory") return false;
    throw error;
  }
}

/** Returns the target path: in the destination if that is a directory. Default: the current directory. */
async function targetOf(from: string, destination = "."): Promise<string> {
  const found = await stat(destination).catch(() => null);
  if (found?.isDirectory() === true) {
    const name = posix.basename(from);
    if (!isLocalName(name))
      throw new UsageError(`This system has no file '${plainLine(name)}': name a destination`);
    return join(destination, name);
  }
  if (destination.endsWith("/")) throw new UsageError(`There is no directory ${destination}`);
  return destination;
}
