/**
 * SQL: the name of a session's disk; null: it is named after the session. A name counts while the session has the uid that is in it.
 */
export const OWN_DISK =
  "case when split_part(sessions.disk, '_', 2) = sessions.workspace_uid::text then sessions.disk end";
