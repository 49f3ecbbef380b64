import type { Token } from "../tokens.ts";
import { GitHubError, type Hub, type Permission, type RepositoryView } from "./hub.ts";
import { commentObject, discussionObject, discussionUrl, readNodeId, repositoryObject } from "./objects.ts";
import type { Discussion } from "./projects.ts";

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

/** Returns the mutations of the API, with the permissions of a token. */
export function mutationsOf(hub: Hub, token: Token): object {
  const writable = (id: string, of: Permission["of"]): RepositoryView => {
    const [, org = "", name = ""] = readNodeId(id);
    return hub.viewWith(token, org, name, { of, access: "write" });
  };
  const subject = (id: string): [RepositoryView, Discussion] => {
    const [kind, , , number] = readNodeId(id);
    const view = writable(id, kind === "PR" ? "pullRequests" : "issues");
    const found = view.project.numbered(Number(number));
    if (found === null)
      throw new GitHubError("NOT_FOUND", `Could not resolve to a node with the global id of '${id}'`);
    return [view, found];
  };
  const setState = (id: string, state: "OPEN" | "CLOSED"): object | null => {
    const [view, discussion] = subject(id);
    discussion.state = state;
    return discussionObject(hub, view, discussion);
  };
  return {
    async createPullRequest({ input }: Input<NewPullRequest>) {
      const view = writable(input.repositoryId, "pullRequests");
      return { pullRequest: discussionObject(hub, view, await openPullRequest(hub, view, input)) };
    },
    createIssue({ input }: Input<{ repositoryId: string; title: string; body?: string }>) {
      const view = writable(input.repositoryId, "issues");
      const issue = view.project.openIssue(token.user, { title: input.title, body: input.body ?? "" });
      return { issue: discussionObject(hub, view, issue), repository: repositoryObject(hub, view) };
    },
    addComment({ input }: Input<{ subjectId: string; body: string }>) {
      const [view, discussion] = subject(input.subjectId);
      const length = discussion.comments.push({ author: token.user, body: input.body });
      const url = discussionUrl(hub, view, discussion);
      const node = commentObject(url, { author: token.user, body: input.body }, length - 1);
      return { commentEdge: { cursor: "", node }, subject: discussionObject(hub, view, discussion) };
    },
    closePullRequest: ({ input }: Input<{ pullRequestId: string }>) => ({
      pullRequest: setState(input.pullRequestId, "CLOSED"),
    }),
    closeIssue: ({ input }: Input<{ issueId: string }>) => ({ issue: setState(input.issueId, "CLOSED") }),
  };
}

async function openPullRequest(hub: Hub, view: RepositoryView, input: NewPullRequest): Promise<Discussion> {
  const { org, name, project, token } = view;
  const head = input.headRefName.replace(`${org}:`, "");
  const base = input.baseRefName;
  const [headOid, baseOid] = await Promise.all(
    [head, base].map((branch) => hub.repositories.head(org, name, branch)),
  );
  if (headOid === null || headOid === undefined)
    throw new GitHubError("UNPROCESSABLE", "Head sha can't be blank, Head ref must be a branch");
  if (baseOid === null || baseOid === undefined)
    throw new GitHubError("UNPROCESSABLE", "Base ref must be a branch");
  if (headOid === baseOid) throw new GitHubError("UNPROCESSABLE", `No commits between ${base} and ${head}`);
  const same = project.pullRequests.find(
    (one) => one.state === "OPEN" && one.head === head && one.base === base,
  );
  if (same !== undefined)
    throw new GitHubError("UNPROCESSABLE", `A pull request already exists for ${org}:${head}.`);
  const { title, body = "", draft = false } = input;
  return project.openPullRequest(token, { title, body, draft, base, head, headOid });
}
