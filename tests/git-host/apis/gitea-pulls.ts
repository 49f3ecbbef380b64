import type { HostCheck, PullRequest } from "../github/projects.ts";
import type { ApiResponse } from "../handle-api-request.ts";
import { type ApiCall, type ApiState, checksAt, headOf, json, plain } from "./api-call.ts";
import { jobOf, logOf } from "./github-conversation.ts";

const REVIEW_STATES = { approved: "APPROVED", changes_requested: "REQUEST_CHANGES", commented: "COMMENT" };

/**
 * Pull requests by Gitea's API, version 1, in the shapes of its documentation (Swagger: repoListPullRequests, repoGetPullRequest,
 * repoGetCombinedStatusByRef, repoListPullReviews, repoGetPullReviewComments, issueGetComments, issueCreateComment, issuePostIssueReaction,
 * repoGetRepoPermissions, ListActionRuns, listWorkflowRunJobs, downloadActionsRunJobLogs). Forgejo has the same.
 */
export async function serveGiteaPulls(
  state: ApiState,
  { method, query, body }: ApiCall,
  { name, rest, user, mayWrite }: { name: string; rest: string; user: string; mayWrite: boolean },
): Promise<ApiResponse> {
  const { pullRequests, discussions, reactions, rights } = state.project(name);
  const person = /^\/collaborators\/([^/]+)\/permission$/.exec(rest)?.[1];
  if (person !== undefined)
    return json(200, { permission: rights.get(decodeURIComponent(person)) ?? "none", role_name: "" });
  if (rest.startsWith("/actions/")) return await serveActions(state, name, rest, query);
  const [, reacted] = /^\/(issues\/(?:comments\/)?\d+)\/reactions$/.exec(rest) ?? [];
  if (reacted !== undefined && method === "POST") {
    if (!mayWrite) return json(403, { message: "token does not have at least one of required scope(s)" });
    reactions.push({ user, at: reacted, content: `${body.content}` });
    return json(201, { user: { login: user }, content: body.content });
  }
  const [, talk] = /^\/issues\/(\d+)\/comments$/.exec(rest) ?? [];
  const [, reviewed] = /^\/pulls\/(\d+)\/reviews\/\d+\/comments$/.exec(rest) ?? [];
  const about = discussions.find((one) => `${one.number}` === (talk ?? reviewed));
  if (about !== undefined) {
    if (method === "POST" && !mayWrite)
      return json(403, { message: "token does not have at least one of required scope(s)" });
    if (method === "POST") about.comments.push({ author: user, body: `${body.body}`, at: new Date() });
    const page = `${state.url}/${name}/pulls/${about.number}`;
    const comments = about.comments.map(({ author, body: text, at }, index) => ({
      ...{ id: 100 + index, user: { login: author }, body: text, html_url: `${page}#issuecomment-${index}` },
      created_at: (at ?? new Date(0)).toISOString(),
    }));
    if (method === "POST") return json(201, comments.at(-1) ?? {});
    const lines = (about.kind === "issue" ? [] : about.lines).map(
      ({ id, author, body: text, path, line, at }) => ({
        ...{ id, user: { login: author }, body: text, path, position: line, original_position: 0 },
        ...{ html_url: `${page}#issuecomment-${id}`, created_at: at.toISOString() },
      }),
    );
    return json(200, talk === undefined ? lines : comments);
  }
  const sha = /^\/commits\/([^/]+)\/status$/.exec(rest)?.[1];
  if (sha !== undefined) {
    const checks = await checksAt(state, name, sha);
    return json(200, {
      ...{ sha, state: "pending", total_count: checks.length },
      statuses: checks.map((one, id) => ({
        ...{ id, context: contextOf(one), status: one.state, description: one.summary ?? "" },
        ...{ target_url: one.url ?? `/${name}/actions/runs/${id}` },
      })),
    });
  }
  const number = /^\/pulls\/(\d+)\/reviews$/.exec(rest)?.[1];
  if (number !== undefined) {
    const found = pullRequests.find((one) => `${one.number}` === number);
    if (found === undefined) return json(404, { message: "not found" });
    return json(200, [
      ...found.awaited.map((login, id) => ({ id, user: { login }, state: "REQUEST_REVIEW" })),
      ...found.reviews.map(({ author, state: given, at, body: text }, id) => ({
        ...{ id: 200 + id, user: { login: author }, state: REVIEW_STATES[given], dismissed: false },
        ...{ submitted_at: at.toISOString(), body: text ?? "", comments_count: 0 },
      })),
      // Comments on lines are those of a review.
      ...(found.lines.length === 0
        ? []
        : [
            {
              ...{ id: 300, user: { login: "reviewers" }, state: "COMMENT", dismissed: false, body: "" },
              ...{ submitted_at: new Date(0).toISOString(), comments_count: found.lines.length },
            },
          ]),
    ]);
  }
  const one = pullRequests.find((pull) => `/pulls/${pull.number}` === rest);
  if (one !== undefined) return json(200, await pullObject(state, name, one));
  if (rest !== "/pulls") return json(404, { message: "not found" });
  const newest = [...pullRequests].sort((one, other) => Number(other.updatedAt) - Number(one.updatedAt));
  const listed = newest.slice(0, Number(query.get("limit") ?? 30));
  return json(200, await Promise.all(listed.map((one) => pullObject(state, name, one))));
}

/** The status of a job of Gitea's Actions is named after its workflow and event, too. */
function contextOf({ name, log }: HostCheck): string {
  return log === undefined ? name : `ci.yaml / ${name} (pull_request)`;
}

async function serveActions(
  state: ApiState,
  name: string,
  rest: string,
  query: URLSearchParams,
): Promise<ApiResponse> {
  const job = /^\/actions\/jobs\/(\d+)\/logs$/.exec(rest)?.[1];
  if (job !== undefined) {
    const log = logOf(job);
    return log === null ? json(404, { message: "not found" }) : plain(log);
  }
  const run = /^\/actions\/runs\/([0-9a-f]+)\/jobs$/.exec(rest)?.[1];
  const sha = query.get("head_sha") ?? run ?? "";
  const own = (await checksAt(state, name, sha)).filter(({ log }) => log !== undefined);
  if (run === undefined)
    return json(200, { total_count: 1, workflow_runs: own.length === 0 ? [] : [{ id: sha, head_sha: sha }] });
  const jobs = own.map((one) => ({
    ...{ id: jobOf(one.log ?? ""), name: one.name, status: "completed", conclusion: one.state },
  }));
  return json(200, { total_count: jobs.length, jobs });
}

async function pullObject(state: ApiState, name: string, one: PullRequest): Promise<object> {
  const { number, title, draft, updatedAt } = one;
  return {
    ...{ number, title, draft, state: one.state === "OPEN" ? "open" : "closed" },
    ...{ merged: one.state === "MERGED", mergeable: one.mergeable ?? undefined },
    ...{ html_url: `${state.url}/${name}/pulls/${number}`, user: { login: one.author } },
    head: {
      ...{ ref: one.head, sha: await headOf(state, name, one), repo_id: one.fromFork ? 2 : 1 },
      repo: { full_name: one.fromFork ? `stranger/${name.split("/")[1]}` : name },
    },
    base: { ref: one.base, repo_id: 1, repo: { full_name: name } },
    updated_at: updatedAt.toISOString(),
  };
}
