import { parseId, type RepositoryChangesOf } from "@berth/contract";
import type { Queryable } from "@berth/store/db";

/** Branches that are kept for each repository, the newest first. */
const MAX_BRANCHES = 5;

/** Whether the branches of a session's repositories may have changed since they were read. */
export interface BranchState {
  /** The session's last event. */
  lastSeq: string;
  isStale: boolean;
}

/** @param sessionId a uuid. @returns null for a session without repositories. */
export async function readBranchState(db: Queryable, sessionId: string): Promise<BranchState | null> {
  const { rows } = await db.query<BranchState>({
    name: "pull_request_branch_state",
    text: `
      select last_seq::text as "lastSeq", bool_or(coalesce(branches_seq < last_seq, true)) as "isStale"
      from sessions join session_resources on session_id = sessions.id
        left join session_pull_requests on resource_id = session_resources.id
      where sessions.id = $1 and session_resources.type in ('hosted_repository', 'git_repository')
      group by last_seq`,
    values: [sessionId],
  });
  return rows[0] ?? null;
}

/** Stores the branches of a session's clones, as they were after its event `seq`. */
export async function storeBranches(
  db: Queryable,
  repositories: readonly RepositoryChangesOf[],
  seq: string,
): Promise<void> {
  const known = repositories.map(({ resource_id, branch, commits }) => ({
    id: parseId("session_resource", resource_id),
    branch,
    pushed: commits.some(({ pushed }) => pushed),
  }));
  await db.query({
    name: "store_pull_request_branches",
    text: `
      insert into session_pull_requests as known (resource_id, branches_seq, branches)
      select session_resources.id, $2,
        case when branch is not null and (pushed or (checkout->>'type' = 'branch' and checkout->>'name' = branch))
          then array[branch] else '{}' end
      from json_to_recordset($1::json) as read (id uuid, branch text, pushed boolean)
        join session_resources on session_resources.id = read.id
      on conflict (resource_id) do update set
        branches_seq = greatest(known.branches_seq, excluded.branches_seq),
        branches = case when excluded.branches = '{}' then known.branches else
          (excluded.branches || array_remove(known.branches, excluded.branches[1]))[1:${MAX_BRANCHES}] end`,
    values: [JSON.stringify(known), seq],
  });
}
