/**
 * SQL: the name of a session's disk; null when the disk is named after the session. A name is valid while the
 * session has the uid that it contains.
 */
export const OWN_DISK =
  "case when split_part(sessions.disk, '_', 2) = sessions.workspace_uid::text then sessions.disk end";
