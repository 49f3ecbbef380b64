import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import type { Queryable } from "../../db/statement.ts";
import { removeTrash } from "../disks/trash.ts";
import { deleteMirror } from "./mirror-store.ts";
import { directoryOf, discardDisk, diskOf, type TemplateKind, type TemplateRoom } from "./snapshot-directory.ts";
import { deleteTemplate } from "./snapshot-store.ts";

export interface KeepParts {
  db: { write: Queryable };
  room: TemplateRoom;
  /** All together. */
  mostBytes: number;
  /** Without use. */
  mostDays: number;
  isUnderWay(id: string): boolean;
}

interface Kept {
  kind: TemplateKind;
  id: string;
  bytes: number;
  /** No session's disk shows it, and no template is made of it. */
  free: boolean;
  /** Not used for long, or there is a newer one of the same repository and checkout. */
  over: boolean;
}

/**
 * Deletes what processes that died have left half made, and what is not in the database; takes out of the database what is
 * not on the disk; and evicts. What a session's disk shows, and what is being made, stays.
 */
export async function sweepTemplates(parts: KeepParts, signal: AbortSignal): Promise<void> {
  const { room } = parts;
  for (const kind of ["templates", "mirrors"] as const) {
    await removeTrash(directoryOf(room, kind), signal);
    // Read before the rows: what is finished in between has its row then.
    const found = (await readdir(directoryOf(room, kind)).catch(() => [])).filter((name) => UUID.test(name));
    const known = new Set((await readKept(parts)).map(({ id }) => id));
    for (const id of found) {
      if (signal.aborted) return;
      if (!known.has(id) && !parts.isUnderWay(id)) await discardDisk(room, kind, id);
    }
  }
  for (const kept of await readKept(parts))
    if (!existsSync(diskOf(room, kept.kind, kept.id))) await remove(parts, kept);
  await evictTemplates(parts);
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Deletes what is over, and the longest unused while all together take too much. Answers the bytes that are left. */
export async function evictTemplates(parts: KeepParts): Promise<number> {
  // A mirror is free when the last of its templates is gone.
  for (const kind of ["templates", "mirrors"] as const)
    for (const kept of await readKept(parts)) if (kept.kind === kind && kept.over) await remove(parts, kept);
  let all = await readKept(parts);
  for (;;) {
    const sum = all.reduce((bytes, kept) => bytes + kept.bytes, 0);
    const first = all.find(({ free, id }) => free && !parts.isUnderWay(id));
    if (sum <= parts.mostBytes || first === undefined) return sum;
    await remove(parts, first);
    const rest = await readKept(parts);
    all = rest.some(({ id }) => id === first.id) ? all.filter(({ id }) => id !== first.id) : rest;
  }
}

async function remove({ db, room, isUnderWay }: KeepParts, { kind, id, free }: Kept): Promise<void> {
  if (!free || isUnderWay(id)) return;
  const gone = await (kind === "templates" ? deleteTemplate(db.write, id) : deleteMirror(db.write, id));
  if (gone) await discardDisk(room, kind, id);
}

/** The longest unused first. */
async function readKept({ db, room, mostDays }: KeepParts): Promise<Kept[]> {
  const { rows } = await db.write.query<Kept>({
    name: "kept_templates",
    text: `
      select 'templates' as kind, templates.id, templates.bytes, templates.used_at,
        not exists (select from session_resources where template_id = templates.id) as free,
        templates.used_at < now() - $2 * interval '1 day' or exists (
          select from repository_templates as newer
          where newer.mirror_id = templates.mirror_id and newer.checkout = templates.checkout and newer.id > templates.id
        ) as over
      from repository_templates as templates
      join repository_mirrors on repository_mirrors.id = templates.mirror_id and host = $1
      union all
      select 'mirrors', id, bytes, used_at,
        not exists (select from repository_templates where mirror_id = repository_mirrors.id),
        used_at < now() - $2 * interval '1 day'
      from repository_mirrors where host = $1
      order by used_at, kind desc`,
    values: [room.host, mostDays],
  });
  return rows;
}
