import type { HostCheck, LineComment, PullRequest } from "../github/projects.ts";
import type { ApiResponse } from "../handle-api-request.ts";
import type { Token } from "../tokens.ts";
import { type ApiCall, type ApiState, checksAt, headOf, json, plain } from "./api-call.ts";
import { jobOf, logOf } from "./github-conversation.ts";

const STATUSES: Readonly<Record<HostCheck["state"], string>> = {
  ...{ success: "success", failure: "failed", pending: "running" },
};

/**
 * Merge requests by GitLab's REST API, version 4, in the shapes of these pages of its documentation: "Merge requests
 * API" (lists, one of them, its reviewers), "Merge request approvals API", "Commits API" (statuses), "Discussions API",
 * "Notes API" (also of issues), "Emoji reactions API", "Project members API" and "Jobs API" (the log of a job).
 */
export async function serveMergeRequests(
  state: ApiState,
  { method, query, body }: ApiCall,
  { token, name, rest }: { token: Token; name: string; rest: string },
): Promise<ApiResponse> {
  if (!token.scopes.some((scope) => scope === "api" || scope === "read_api"))
    return json(403, { error: "insufficient_scope" });
  const project = state.project(name);
  const { pullRequests, rights } = project;
  const member = /^\/members\/all\/(.+)$/.exec(rest)?.[1];
  if (member !== undefined) {
    const right = rights.get(decodeURIComponent(member));
    const access_level = right === undefined ? null : { read: 20, write: 30, admin: 40 }[right];
    return access_level === null ? json(404, { message: "404 Not found" }) : json(200, { access_level });
  }
  const job = /^\/jobs\/(\d+)\/trace$/.exec(rest)?.[1];
  if (job !== undefined) {
    const log = logOf(job);
    return log === null ? json(404, { message: "404 Not Found" }) : plain(log);
  }
  const sha = /^\/repository\/commits\/([^/]+)\/statuses$/.exec(rest)?.[1];
  if (sha !== undefined) {
    const checks = await checksAt(state, name, sha);
    return json(
      200,
      checks.map((one, at) => ({
        ...{ id: one.log === undefined ? at : jobOf(one.log), description: one.summary ?? null, sha },
        ...{ name: one.name, status: STATUSES[one.state], allow_failure: false },
        target_url: one.url ?? `${state.url}/${name}/-/jobs/${at}`,
      })),
    );
  }
  const [, awarded] = /^\/((?:issues|merge_requests)\/\d+(?:\/notes\/\d+)?)\/award_emoji$/.exec(rest) ?? [];
  if (awarded !== undefined && method === "POST") {
    if (!token.scopes.includes("api")) return json(403, { error: "insufficient_scope" });
    project.reactions.push({ user: token.user, at: awarded, content: `${body.name}` });
    return json(201, { id: project.reactions.length, name: body.name });
  }
  const [, talked] = /^\/issues\/(\d+)\/notes$/.exec(rest) ?? [];
  const issue = project.issues.find((one) => `${one.number}` === talked);
  if (issue !== undefined) {
    if (method === "POST" && !token.scopes.includes("api")) return json(403, { error: "insufficient_scope" });
    if (method === "POST") issue.comments.push({ author: token.user, body: `${body.body}`, at: new Date() });
    const notes = issue.comments.map(({ author, body: text }, index) => ({
      ...{ id: 100 + index, body: text, author: { id: author, username: author }, system: false },
    }));
    return method === "POST" ? json(201, notes.at(-1) ?? {}) : json(200, notes.toReversed());
  }
  const [, number, part] =
    /^\/merge_requests(?:\/(\d+)(\/approvals|\/reviewers|\/discussions.*|\/notes)?)?$/.exec(rest) ?? [];
  if (number === undefined) {
    const listed = pullRequests.filter(({ head }) => head === query.get("source_branch")).reverse();
    return json(200, await Promise.all(listed.map((one) => requestObject(state, name, one))));
  }
  const found = pullRequests.find((one) => `${one.number}` === number);
  if (found === undefined) return json(404, { message: "404 Not found" });
  const { reviews, awaited, comments, lines } = found;
  if (part?.startsWith("/discussions") || part === "/notes") {
    if (method === "GET" && part === "/notes")
      return json(
        200,
        comments.map(({ author, body: text }, id) => ({
          id: 100 + id,
          body: text,
          author: { username: author },
        })),
      );
    if (method === "GET") return json(200, discussionsOf(found));
    if (!token.scopes.includes("api")) return json(403, { error: "insufficient_scope" });
    const said = { author: token.user, body: `${body.body}` };
    const line = /^\/discussions\/line-(\d+)\/notes$/.exec(part)?.[1];
    if (line !== undefined) project.commentLine(found.number, { ...said, answers: Number(line) });
    else comments.push({ ...said, at: new Date() });
    return json(201, { id: comments.length + lines.length, body: body.body });
  }
  if (part === "/approvals") {
    const approved = reviews.filter((one) => one.state === "approved");
    return json(200, {
      approved: approved.length > 0,
      approved_by: approved.map(({ author, at }) => ({
        ...{ user: { username: author }, approved_at: at.toISOString() },
      })),
    });
  }
  if (part === "/reviewers")
    return json(200, [
      ...awaited.map((username) => ({ user: { username }, state: "unreviewed" })),
      ...reviews.map(({ author, state: given }) => ({
        user: { id: author, username: author },
        state: given === "changes_requested" ? "requested_changes" : given,
      })),
    ]);
  return json(200, { ...(await requestObject(state, name, found)), head_pipeline: null });
}

/** Discussions of lines, and comments on the whole request, each of which is a discussion of its own. */
function discussionsOf({ comments, lines, reviews }: PullRequest): object[] {
  const note = (id: number, author: string, body: string, at: Date, place: object = {}) => ({
    ...{ id, author: { id: author, username: author }, body, created_at: at.toISOString(), system: false },
    ...place,
  });
  const lineNote = ({ id, author, body, at, path, line }: LineComment) =>
    note(id, author, body, at, { position: { new_path: path, new_line: line } });
  return [
    ...comments.map(({ author, body, at }, index) => ({
      id: `note-${index}`,
      notes: [note(100 + index, author, body, at ?? new Date(0))],
    })),
    ...reviews
      .filter(({ body }) => body !== undefined)
      .map(({ author, body, at }, index) => ({
        id: `review-${index}`,
        notes: [note(300 + index, author, body ?? "", at)],
      })),
    ...lines
      .filter(({ answers }) => answers === null)
      .map((one) => ({
        id: `line-${one.id}`,
        notes: [one, ...lines.filter(({ answers }) => answers === one.id)].map(lineNote),
      })),
  ];
}

async function requestObject(state: ApiState, name: string, one: PullRequest): Promise<object> {
  const { number, title, draft, updatedAt } = one;
  const states = { OPEN: "opened", CLOSED: "closed", MERGED: "merged" };
  return {
    ...{ id: 7_000 + number, iid: number, title, draft, state: states[one.state] },
    ...{ web_url: `${state.url}/${name}/-/merge_requests/${number}`, author: { username: one.author } },
    ...{ source_branch: one.head, target_branch: one.base, sha: await headOf(state, name, one) },
    ...{ source_project_id: one.fromFork ? 2 : 1, target_project_id: 1 },
    ...{ has_conflicts: one.mergeable === false, merge_status: mergeStatus(one.mergeable) },
    updated_at: updatedAt.toISOString(),
  };
}

function mergeStatus(mergeable: boolean | null): string {
  if (mergeable === null) return "checking";
  return mergeable ? "can_be_merged" : "cannot_be_merged";
}
