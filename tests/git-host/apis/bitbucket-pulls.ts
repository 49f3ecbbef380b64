import type { HostCheck, PullRequest } from "../github/projects.ts";
import type { ApiResponse } from "../handle-api-request.ts";
import type { Token } from "../tokens.ts";
import { type ApiCall, type ApiState, checksOf, headOf, json, plain } from "./api-call.ts";
import { jobOf, logOf } from "./github-conversation.ts";

const STATES = { OPEN: "OPEN", CLOSED: "DECLINED", MERGED: "MERGED" } as const;
const BUILD_STATES: Readonly<Record<HostCheck["state"], string>> = {
  ...{ success: "SUCCESSFUL", failure: "FAILED", pending: "INPROGRESS" },
};

/**
 * Pull requests by Bitbucket Cloud's REST API, version 2.0, in the shapes of the pages "Pullrequests" (lists, one of
 * them, its statuses and comments), "Repositories" (the permission of a user), "Pipelines" (steps and their logs) and "Filter and sort API objects" of its reference. A list has no participants.
 */
export async function serveBitbucketPulls(
  state: ApiState,
  { method, query, body }: ApiCall,
  { token, name, rest }: { token: Token; name: string; rest: string },
): Promise<ApiResponse> {
  const project = state.project(name);
  const { pullRequests, rights } = project;
  const person = /^\/permissions-config\/users\/(.+)$/.exec(rest)?.[1];
  if (person !== undefined)
    return json(200, { permission: rights.get(decodeURIComponent(person)) ?? "none" });
  const [, job, step] = /^\/pipelines\/(\d+)\/steps(?:\/([^/]+)\/log)?$/.exec(rest) ?? [];
  if (job !== undefined) {
    const log = logOf(job);
    if (log === null) return NOT_FOUND;
    const failed = { uuid: "{step}", state: { name: "COMPLETED", result: { name: "FAILED" } } };
    return step === undefined ? json(200, { values: [failed] }) : plain(log);
  }
  const [, number, part] = /^\/pullrequests(?:\/(\d+)(\/statuses|\/comments)?)?$/.exec(rest) ?? [];
  if (!rest.startsWith("/pullrequests")) return NOT_FOUND;
  if (number === undefined) {
    const branch = /^source\.branch\.name = "(.*)"$/.exec(query.get("q") ?? "")?.[1];
    const listed = pullRequests.filter(
      (one) => one.head === branch && query.getAll("state").includes(STATES[one.state]),
    );
    const values = await Promise.all(listed.reverse().map((one) => pullObject(state, name, one)));
    return json(200, { size: values.length, page: 1, pagelen: 10, values });
  }
  const found = pullRequests.find((one) => `${one.number}` === number);
  if (found === undefined) return NOT_FOUND;
  if (part === "/comments") {
    if (method === "POST") {
      const text = `${(body.content as { raw?: string }).raw}`;
      const parent = (body.parent as { id: number } | undefined)?.id;
      if (token.pullRequests !== "write")
        return json(403, { type: "error", error: { message: "Forbidden" } });
      if (parent !== undefined)
        project.commentLine(found.number, { author: token.user, body: text, answers: parent });
      else found.comments.push({ author: token.user, body: text, at: new Date() });
      return json(201, { id: 1 });
    }
    return json(200, { values: commentsOf(found, `${state.url}/${name}/pull-requests/${number}`) });
  }
  if (part === "/statuses") {
    const values = checksOf(found, await headOf(state, name, found)).map((one, at) => ({
      ...{ key: `build-${at}`, name: one.name, state: BUILD_STATES[one.state] },
      description: one.summary ?? null,
      url: one.url ?? `${state.url}/${name}/pipelines/results/${one.log === undefined ? at : jobOf(one.log)}`,
    }));
    return json(200, { size: values.length, page: 1, pagelen: 100, values });
  }
  const participants = [
    ...found.awaited.map((nickname) => ({
      user: { nickname },
      role: "REVIEWER",
      approved: false,
      state: null,
    })),
    ...found.reviews.map(({ author, state: given, at }) => ({
      ...{ user: { nickname: author, uuid: author }, role: "REVIEWER", approved: given === "approved" },
      ...{ state: given === "commented" ? null : given, participated_on: at.toISOString() },
    })),
  ];
  return json(200, { ...(await pullObject(state, name, found)), participants });
}

function commentsOf({ comments, lines, reviews }: PullRequest, page: string): object[] {
  const user = (nickname: string) => ({ nickname, uuid: nickname, type: "user" });
  const said = [
    ...comments,
    ...reviews.flatMap(({ author, body, at }) => (body === undefined ? [] : [{ author, body, at }])),
  ];
  return [
    ...said.map(({ author, body, at }, index) => ({
      ...{ id: 100 + index, user: user(author), content: { raw: body }, deleted: false },
      created_on: (at ?? new Date(0)).toISOString(),
      links: { html: { href: `${page}#comment-${100 + index}` } },
    })),
    ...lines.map(({ id, author, body, path, line, answers, at }) => ({
      ...{ id, user: user(author), content: { raw: body }, deleted: false, inline: { path, to: line } },
      ...{ created_on: at.toISOString(), links: { html: { href: `${page}#comment-${id}` } } },
      ...(answers !== null && { parent: { id: answers } }),
    })),
  ];
}

async function pullObject(state: ApiState, name: string, one: PullRequest): Promise<object> {
  const { number, title, draft, updatedAt } = one;
  const source = one.fromFork ? "somebody/fork" : name;
  return {
    ...{ id: number, title, draft, state: STATES[one.state] },
    links: { html: { href: `${state.url}/${name}/pull-requests/${number}` } },
    author: { nickname: one.author },
    source: {
      branch: { name: one.head },
      commit: { hash: (await headOf(state, name, one)).slice(0, 12) },
      repository: { full_name: source },
    },
    destination: { branch: { name: one.base }, repository: { full_name: name } },
    // Its times have microseconds and an offset.
    updated_on: updatedAt.toISOString().replace("Z", "000+00:00"),
  };
}

const NOT_FOUND = json(404, { type: "error", error: { message: "Not found" } });
