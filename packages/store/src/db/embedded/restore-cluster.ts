import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { copyTree } from "@berth/linux";
import { EMPTIED, LEFT_OUT } from "./copy-cluster.ts";

/**
 * Files that make a server read, run or load something. They are its configuration, its rules for
 * connections, and files by which it follows another server or moves its data.
 */
const CONFIGURATION =
  /^(postgresql\.(auto\.)?conf|pg_(hba|ident)\.conf|(recovery|standby)\.(signal|conf)|tablespace_map)$/;
/** Directories that only a server fills, or whose links lead outside the cluster. */
const NOT_COPIED = [...EMPTIED.filter((name) => name !== "pg_wal"), "pg_tblspc"];

/**
 * The configuration as `initdb` writes it for a cluster of Berth. The server gets its other settings when it
 * starts.
 */
const SETTINGS = `# Written by Berth when the cluster was restored.
datestyle = 'iso, mdy'
lc_messages = 'C'
lc_monetary = 'C'
lc_numeric = 'C'
lc_time = 'C'
default_text_search_config = 'pg_catalog.english'
`;

/**
 * Copies the data files of a backed-up cluster to a new directory. The configuration is not copied but
 * written anew, so the server that starts there reads nothing of it.
 */
export async function restoreCluster(from: string, to: string, signal: AbortSignal): Promise<void> {
  await copyTree(from, to, { signal, leaveOut: isLeftOut });
  for (const name of NOT_COPIED) await mkdir(join(to, name), { recursive: true, mode: 0o700 });
  const files = {
    "postgresql.conf": SETTINGS,
    "postgresql.auto.conf": "",
    "pg_hba.conf": "",
    "pg_ident.conf": "",
  };
  for (const [name, text] of Object.entries(files))
    await writeFile(join(to, name), text, { mode: 0o600, flag: "wx" });
}

function isLeftOut(path: string): boolean {
  const [first = "", ...rest] = path.split("/");
  if (rest.length === 0) return CONFIGURATION.test(path) || (path !== "backup_label" && LEFT_OUT.test(path));
  return NOT_COPIED.includes(first) || LEFT_OUT.test(rest.at(-1) ?? "");
}
