import type { PullRequest } from "../github/projects.ts";
import type { ApiResponse } from "../handle-api-request.ts";
import type { Token } from "../tokens.ts";
import { type ApiCall, type ApiState, checksAt, headOf, json } from "./api-call.ts";
import { jobOf, serveGitHubConversation } from "./github-conversation.ts";

interface Target {
  token: Token;
  name: string;
  /** The path below the repository's. */
  rest: string;
}

/**
 * Pull requests by GitHub's REST API, version 2022-11-28, in the shapes of these pages of its documentation: "REST
 * API endpoints for pull requests", "… for pull request reviews", "… for check runs" and "… for commit statuses".
 */
export async function serveGitHubPulls(
  state: ApiState,
  call: ApiCall,
  { token, name, rest }: Target,
): Promise<ApiResponse> {
  const { method, query, body } = call;
  const { pullRequests } = state.project(name);
  const [, sha, kind] = /^\/commits\/([^/]+)\/(check-runs|status)$/.exec(rest) ?? [];
  if (sha !== undefined) {
    if (!(kind === "status" ? token.checks.statuses : token.checks.runs)) return NOT_ACCESSIBLE;
    const checks = (await checksAt(state, name, sha)).filter(
      ({ by }) => (by === "status") === (kind === "status"),
    );
    return kind === "status"
      ? json(200, {
          ...{ state: "pending", sha, total_count: checks.length },
          statuses: checks.map((one) => ({
            ...{ context: one.name, state: one.state, target_url: one.url ?? null },
            description: one.summary ?? null,
          })),
        })
      : json(200, {
          total_count: checks.length,
          check_runs: checks.map((one, at) => ({
            ...{ id: at, name: one.name, status: one.state === "pending" ? "in_progress" : "completed" },
            conclusion: one.state === "pending" ? null : one.state,
            html_url: one.url ?? `${state.url}/${name}/runs/${at}`,
            details_url:
              one.log === undefined
                ? "https://ci.example.com/elsewhere"
                : `${state.url}/${name}/actions/runs/7/job/${jobOf(one.log)}`,
            output: { title: one.summary ?? null, summary: null, text: null },
          })),
        });
  }
  const [, number, reviews] = /^\/pulls(?:\/(\d+)(\/reviews)?)?$/.exec(rest) ?? [];
  if (number === undefined && rest !== "/pulls")
    return (await serveGitHubConversation(state, call, { token, name, rest })) ?? NOT_FOUND;
  if (token.pullRequests === "none") return NOT_ACCESSIBLE;
  if (number === undefined && method === "POST") return await openPull(state, { token, name }, body);
  if (number === undefined) {
    const [owner = "", ...branch] = (query.get("head") ?? "").split(":");
    const isAsked = (one: PullRequest) =>
      one.head === branch.join(":") && !one.fromFork && name.startsWith(`${owner}/`);
    const listed = pullRequests.filter(isAsked).reverse();
    return json(200, await Promise.all(listed.map((one) => pullObject(state, name, one))));
  }
  const found = pullRequests.find((one) => `${one.number}` === number);
  if (found === undefined) return NOT_FOUND;
  if (reviews !== undefined)
    return json(
      200,
      found.reviews.map(({ author, state: given, at, body }, id) => ({
        ...{ id, user: { login: author, type: "User" }, state: given.toUpperCase(), body: body ?? "" },
        ...{ submitted_at: seconds(at), html_url: `${state.url}/${name}/pull/${number}#review-${id}` },
      })),
    );
  return json(200, {
    ...(await pullObject(state, name, found)),
    ...{ mergeable: found.mergeable, merged: found.state === "MERGED" },
  });
}

/** Opens a pull request of a branch that the repository has. */
async function openPull(
  state: ApiState,
  { token, name }: Pick<Target, "token" | "name">,
  body: ApiCall["body"],
): Promise<ApiResponse> {
  if (token.pullRequests !== "write") return NOT_ACCESSIBLE;
  const { title, head, base, body: text = "", draft = false } = body as Record<string, string>;
  const branches = await state.branches(name);
  const headOid = branches.find((one) => one.name === head)?.sha;
  if (title === undefined || head === undefined || base === undefined || headOid === undefined)
    return json(422, { message: "Validation Failed" });
  const fields = { title, body: text, draft: Boolean(draft), head, base, headOid };
  const opened = state.project(name).openPullRequest(token, fields);
  return json(201, await pullObject(state, name, opened));
}

async function pullObject(state: ApiState, name: string, one: PullRequest): Promise<object> {
  const { number, title, draft, updatedAt } = one;
  const [owner = ""] = name.split("/");
  return {
    ...{ number, title, draft, state: one.state === "OPEN" ? "open" : "closed" },
    ...{ html_url: `${state.url}/${name}/pull/${number}`, user: { login: one.author } },
    ...{ updated_at: seconds(updatedAt), merged_at: one.state === "MERGED" ? seconds(updatedAt) : null },
    head: {
      ...{ ref: one.head, label: `${owner}:${one.head}`, sha: await headOf(state, name, one) },
      repo: { full_name: one.fromFork ? `stranger/${name.split("/")[1]}` : name },
    },
    base: { ref: one.base, repo: { full_name: name } },
    requested_reviewers: one.awaited.map((login) => ({ login })),
    requested_teams: [],
  };
}

/** GitHub's times have no fractions of a second. */
function seconds(time: Date): string {
  return time.toISOString().replace(/\.\d+Z/, "Z");
}

const NOT_ACCESSIBLE = json(403, { message: "Resource not accessible by integration" });
const NOT_FOUND = json(404, { message: "Not Found" });
