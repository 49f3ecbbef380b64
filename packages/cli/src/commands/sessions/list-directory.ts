import type { WorkspaceEntry } from "@berth/sdk";
import { type ConnectionOptions, connect } from "../../shared/connection.ts";
import type { OutputOptions } from "../../shared/formats.ts";
import { isForPeople, printResult } from "../../shared/output.ts";
import { minuteOf } from "../../terminal/object.ts";
import { type Palette, paletteFor } from "../../terminal/palette.ts";
import { plainLine } from "../../terminal/plain-text.ts";
import { printMessage } from "../../terminal/print.ts";
import { bytes, count } from "../../terminal/quantities.ts";
import { table } from "../../terminal/table.ts";
import { workspacePath } from "./workspace-path.ts";

interface ListOptions extends ConnectionOptions, OutputOptions {
  limit: number;
}

export async function listDirectory(
  id: string,
  given: string | undefined,
  options: ListOptions,
): Promise<undefined> {
  const client = await connect(options);
  const path = workspacePath(given ?? ".");
  const list = client.sessions.workspace.list(id, { path, limit: Math.min(options.limit, 100) });
  const data: WorkspaceEntry[] = [];
  let has_more = false;
  for await (const entry of list) {
    has_more = data.length === options.limit;
    if (has_more) break;
    data.push(entry);
  }
  const palette = paletteFor(process.stdout);
  await printResult({ data, has_more }, options, () => table(data.map((entry) => rowOf(entry, palette))));
  if (has_more && isForPeople(options) && !options.quiet)
    printMessage(`These are the first ${count(options.limit)} entries; --limit shows more.`);
}

const LETTERS: Readonly<Record<WorkspaceEntry["type"], string>> = {
  file: "-",
  directory: "d",
  symlink: "l",
  fifo: "p",
  socket: "s",
  device: "c",
  other: "?",
};

function rowOf({ type, name, size_bytes, mode, modified_at, target }: WorkspaceEntry, palette: Palette) {
  const shown = plainLine(name);
  const named = type === "directory" ? palette.bold(`${shown}/`) : shown;
  return [
    palette.dim(`${LETTERS[type]}${mode}`),
    size_bytes === null ? "" : bytes(size_bytes),
    minuteOf(modified_at),
    target === null ? named : `${named} → ${plainLine(target)}`,
  ];
}
