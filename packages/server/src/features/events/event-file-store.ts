import type { Queryable } from "../../db/statement.ts";

/** Marks files as named by messages of a session, which keeps them from being deleted while the session lives. */
export async function insertEventFiles(
  tx: Queryable,
  sessionId: string,
  fileIds: readonly string[],
): Promise<void> {
  await tx.query({
    name: "insert_event_files",
    text: `
      insert into event_files (session_id, file_id) select $1, unnest($2::uuid[])
      on conflict do nothing`,
    values: [sessionId, fileIds],
  });
}
