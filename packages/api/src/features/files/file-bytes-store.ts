import type { Queryable } from "@berth/store/db";
import type { Limit } from "@berth/store/limits";

/** Returns the bytes of an owner's files, including outputs and announced sizes of pending files. */
export async function fileBytes(db: Queryable, { kind, id }: Pick<Limit, "kind" | "id">): Promise<number> {
  const column = kind === "organization" ? "organization_id" : "owner_id";
  const { rows } = await db.query<{ bytes: number }>({
    name: `file_bytes_of_${kind}`,
    text: `select coalesce(sum(size_bytes), 0)::double precision as bytes from files where ${column} = $1`,
    values: [id],
  });
  return rows[0]?.bytes ?? 0;
}
