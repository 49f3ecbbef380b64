import type { Discussion, LineComment } from "../github/projects.ts";
import type { ApiResponse } from "../handle-api-request.ts";
import type { Token } from "../tokens.ts";
import { type ApiCall, type ApiState, json, plain } from "./api-call.ts";

interface Target {
  token: Token;
  name: string;
  /** The path below the repository's. */
  rest: string;
}

/** The logs of jobs, by the ids that checks name. */
const logs = new Map<string, string>();

/** Returns the id of a job with a log. */
export function jobOf(log: string): number {
  const known = [...logs].find(([, text]) => text === log)?.[0];
  const id = known ?? `${9_000 + logs.size}`;
  logs.set(id, log);
  return Number(id);
}

/** Returns a job's log. */
export function logOf(id: string): string | null {
  return logs.get(id) ?? null;
}

/**
 * What is said about pull requests, by GitHub's REST API, version 2022-11-28, in the shapes of these pages of its
 * documentation: "REST API endpoints for pull request review comments", "… for issue comments", "… for collaborators"
 * (repository permissions for a user) and "… for workflow jobs" (one of them, and its log, to which it redirects).
 */
export async function serveGitHubConversation(
  state: ApiState,
  { method, body }: ApiCall,
  { token, name, rest }: Target,
): Promise<ApiResponse | null> {
  const project = state.project(name);
  const user = /^\/collaborators\/([^/]+)\/permission$/.exec(rest)?.[1];
  if (user !== undefined)
    // The token of an installation needs no more than 'Metadata: read'.
    return token.permissions === "write" || token.user.endsWith("[bot]")
      ? json(200, { permission: project.rights.get(decodeURIComponent(user)) ?? "none" })
      : json(403, { message: "Must have push access to view collaborator permission." });
  const [, job, isLog] = /^\/actions\/jobs\/(\d+)(\/logs)?$/.exec(rest) ?? [];
  if (job !== undefined) {
    if (logOf(job) === null) return null;
    return isLog === undefined
      ? json(200, {
          id: Number(job),
          steps: [{ name: "Run tests", conclusion: "failure", ...stepOf(state, name, job) }],
        })
      : json(302, {}, { location: `${state.url}/api/v3/job-logs/${job}` });
  }
  const reacted = /^\/((?:issues|pulls)\/(?:comments\/)?\d+)\/reactions$/.exec(rest)?.[1];
  if (reacted !== undefined && method === "POST") {
    project.reactions.push({ user: token.user, at: reacted, content: `${body.content}` });
    return json(201, { id: project.reactions.length, content: body.content });
  }
  const [, kind, number, answered] =
    /^\/(pulls|issues)\/(\d+)\/comments(?:\/(\d+)\/replies)?$/.exec(rest) ?? [];
  const found = project.discussions.find((one) => `${one.number}` === number);
  if (found === undefined || (found.kind === "issue" && kind !== "issues")) return null;
  if (token.pullRequests === "none" || (method === "POST" && token.pullRequests !== "write"))
    return json(403, { message: "Resource not accessible by integration" });
  const page = `${state.url}/${name}/${found.kind === "issue" ? "issues" : "pull"}/${found.number}`;
  if (found.kind === "issue" || kind === "issues") {
    if (method === "POST") found.comments.push({ author: token.user, body: `${body.body}`, at: new Date() });
    const all = found.comments.map((_one, at) => issueComment(found, page, at));
    return method === "POST" ? json(201, all.at(-1) ?? {}) : json(200, all);
  }
  if (method === "POST") {
    const fields = { author: token.user, body: `${body.body}`, answers: Number(answered) };
    return json(201, lineComment(page, project.commentLine(found.number, fields)));
  }
  return json(
    200,
    found.lines.map((one) => lineComment(page, one)),
  );
}

function stepOf(state: ApiState, name: string, job: string): object {
  const checks = state.project(name).pullRequests.flatMap((one) => one.checks);
  return checks.find(({ log }) => log !== undefined && log === logOf(job))?.step ?? {};
}

function issueComment({ comments }: Discussion, page: string, index: number): object {
  const { author = "ghost", body, at } = comments[index] ?? {};
  return {
    ...{ id: 100 + index, user: { login: author, type: typeOf(author) }, body },
    ...{ html_url: `${page}#issuecomment-${100 + index}`, created_at: (at ?? new Date(0)).toISOString() },
  };
}

function lineComment(page: string, { id, author, body, path, line, answers, at }: LineComment): object {
  return {
    ...{ id, user: { login: author, type: typeOf(author) }, body, path, line },
    ...{ html_url: `${page}#discussion_r${id}`, created_at: at.toISOString() },
    ...(answers !== null && { in_reply_to_id: answers }),
  };
}

function typeOf(author: string): string {
  return author.endsWith("[bot]") ? "Bot" : "User";
}

/** Serves a job's log where the API redirects to, for anybody who knows the address. */
export function serveJobLog(path: string): ApiResponse | null {
  const log = logOf(/^\/job-logs\/(\d+)$/.exec(path)?.[1] ?? "");
  return log === null ? null : plain(log);
}
