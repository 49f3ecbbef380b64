import type { Token } from "../tokens.ts";
import type { Hub, Need, Sight } from "./hub.ts";
import { commentObject, discussionObject, discussionUrl, readNodeId, repositoryObject } from "./objects.ts";
import type { Discussion } from "./projects.ts";
import { Refusal } from "./refusal.ts";

interface Input<T> {
  input: T;
}

interface NewPullRequest {
  repositoryId: string;
  baseRefName: string;
  headRefName: string;
  title: string;
  body?: string;
  draft?: boolean;
}

/** What a token may change by the API. */
export function mutationsOf(hub: Hub, token: Token): object {
  const writable = (id: string, of: Need["of"]): Sight => {
    const [, org = "", name = ""] = readNodeId(id);
    return hub.openFor(token, org, name, { of, access: "write" });
  };
  const subject = (id: string): [Sight, Discussion] => {
    const [kind, , , number] = readNodeId(id);
    const sight = writable(id, kind === "PR" ? "pullRequests" : "issues");
    const found = sight.project.numbered(Number(number));
    if (found === null)
      throw new Refusal("NOT_FOUND", `Could not resolve to a node with the global id of '${id}'`);
    return [sight, found];
  };
  const closing = (id: string, state: "OPEN" | "CLOSED"): object | null => {
    const [sight, discussion] = subject(id);
    discussion.state = state;
    return discussionObject(hub, sight, discussion);
  };
  return {
    async createPullRequest({ input }: Input<NewPullRequest>) {
      const sight = writable(input.repositoryId, "pullRequests");
      return { pullRequest: discussionObject(hub, sight, await opened(hub, sight, input)) };
    },
    createIssue({ input }: Input<{ repositoryId: string; title: string; body?: string }>) {
      const sight = writable(input.repositoryId, "issues");
      const issue = sight.project.openIssue(token.user, { title: input.title, body: input.body ?? "" });
      return { issue: discussionObject(hub, sight, issue), repository: repositoryObject(hub, sight) };
    },
    addComment({ input }: Input<{ subjectId: string; body: string }>) {
      const [sight, discussion] = subject(input.subjectId);
      const length = discussion.comments.push({ author: token.user, body: input.body });
      const url = discussionUrl(hub, sight, discussion);
      const node = commentObject(url, { author: token.user, body: input.body }, length - 1);
      return { commentEdge: { cursor: "", node }, subject: discussionObject(hub, sight, discussion) };
    },
    closePullRequest: ({ input }: Input<{ pullRequestId: string }>) => ({
      pullRequest: closing(input.pullRequestId, "CLOSED"),
    }),
    closeIssue: ({ input }: Input<{ issueId: string }>) => ({ issue: closing(input.issueId, "CLOSED") }),
  };
}

async function opened(hub: Hub, sight: Sight, input: NewPullRequest): Promise<Discussion> {
  const { org, name, project, token } = sight;
  const head = input.headRefName.replace(`${org}:`, "");
  const base = input.baseRefName;
  const [headOid, baseOid] = await Promise.all(
    [head, base].map((branch) => hub.repositories.head(org, name, branch)),
  );
  if (headOid === null || headOid === undefined)
    throw new Refusal("UNPROCESSABLE", "Head sha can't be blank, Head ref must be a branch");
  if (baseOid === null || baseOid === undefined)
    throw new Refusal("UNPROCESSABLE", "Base ref must be a branch");
  if (headOid === baseOid) throw new Refusal("UNPROCESSABLE", `No commits between ${base} and ${head}`);
  const same = project.pullRequests.find(
    (one) => one.state === "OPEN" && one.head === head && one.base === base,
  );
  if (same !== undefined)
    throw new Refusal("UNPROCESSABLE", `A pull request already exists for ${org}:${head}.`);
  const { title, body = "", draft = false } = input;
  return project.openPullRequest(token, { title, body, draft, base, head, headOid });
}
