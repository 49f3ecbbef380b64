import { type Hub, type RepositoryView, requirePermission } from "./hub.ts";
import type { Comment, Discussion, Issue, Project, PullRequest } from "./projects.ts";

/** Objects of the schema. GraphQL calls a field that is a function with the field's arguments. */

/** The arguments of a list. Clients may leave out any argument or pass null. */
interface PageArgs {
  first?: number | null;
  states?: readonly string[] | null;
  headRefName?: string | null;
  baseRefName?: string | null;
}

export function repositoryObject(hub: Hub, view: RepositoryView): object {
  const { org, name, project, token } = view;
  const pages = `${hub.url}/${org}/${name}`;
  const toObject = (discussion: Discussion | null) => discussionObject(hub, view, discussion);
  const numbered = ({ number }: { number: number }) => toObject(project.numbered(number));
  return {
    __typename: "Repository",
    id: nodeId("R", org, name),
    name,
    nameWithOwner: `${org}/${name}`,
    owner: { __typename: "Organization", id: nodeId("O", org), login: org },
    url: pages,
    description: null,
    isPrivate: hub.repositories.find(`${org}/${name}`)?.private ?? true,
    isFork: false,
    isArchived: false,
    hasIssuesEnabled: true,
    hasWikiEnabled: false,
    mergeCommitAllowed: true,
    rebaseMergeAllowed: true,
    squashMergeAllowed: true,
    viewerPermission: token.permissions === "write" ? "WRITE" : "READ",
    viewerDefaultMergeMethod: "MERGE",
    parent: null,
    defaultBranchRef: { name: "main", prefix: "refs/heads/" },
    issues: (args: PageArgs) => {
      requirePermission(token, { of: "issues", access: "read" });
      return connection(project.issues, args, toObject);
    },
    pullRequests: (args: PageArgs) => {
      requirePermission(token, { of: "pullRequests", access: "read" });
      return connection(pullRequestsOf(project, args), args, toObject);
    },
    issue: numbered,
    pullRequest: numbered,
    issueOrPullRequest: numbered,
    assignableUsers: connection([], {}, () => ({})),
    labels: connection([], {}, () => ({})),
    milestones: connection([], {}, () => ({})),
    pullRequestTemplates: [],
    issueTemplates: [],
  };
}

function pullRequestsOf({ pullRequests }: Project, { headRefName, baseRefName }: PageArgs): PullRequest[] {
  return pullRequests.filter(
    ({ head, base }) => head === (headRefName ?? head) && base === (baseRefName ?? base),
  );
}

export function discussionObject(
  hub: Hub,
  view: RepositoryView,
  discussion: Discussion | null,
): object | null {
  if (discussion === null) return null;
  return discussion.kind === "issue"
    ? { __typename: "Issue", ...discussionFields(hub, view, discussion) }
    : {
        __typename: "PullRequest",
        ...discussionFields(hub, view, discussion),
        ...pullRequestFields(view, discussion),
      };
}

export function commentObject(discussionUrl: string, { author, body }: Comment, index: number): object {
  return {
    id: nodeId("C", discussionUrl, String(index)),
    url: `${discussionUrl}#issuecomment-${index + 1}`,
    body,
    author: actor(author),
    authorAssociation: "MEMBER",
    createdAt: new Date().toISOString(),
    includesCreatedEdit: false,
    isMinimized: false,
    minimizedReason: null,
    viewerDidAuthor: true,
    reactionGroups: [],
  };
}

export function discussionUrl(hub: Hub, { org, name }: RepositoryView, { kind, number }: Discussion): string {
  return `${hub.url}/${org}/${name}/${kind === "issue" ? "issues" : "pull"}/${number}`;
}

function discussionFields(hub: Hub, view: RepositoryView, discussion: Issue | PullRequest): object {
  const { org, name } = view;
  const { number, title, body, author, state, createdAt, comments } = discussion;
  const url = discussionUrl(hub, view, discussion);
  const none = connection([], {}, () => ({}));
  return {
    id: nodeId(discussion.kind === "issue" ? "I" : "PR", org, name, String(number)),
    number,
    title,
    body,
    state,
    url,
    author: actor(author),
    createdAt,
    updatedAt: createdAt,
    closed: state !== "OPEN",
    closedAt: null,
    comments: (args: PageArgs) =>
      connection(comments, args, (comment, index) => commentObject(url, comment, index)),
    labels: none,
    assignees: none,
    projectCards: none,
    projectItems: none,
    reactionGroups: [],
    milestone: null,
    stateReason: null,
    isPinned: false,
  };
}

function pullRequestFields(
  { org, name }: RepositoryView,
  { draft, base, head, headOid, state }: PullRequest,
): object {
  const none = connection([], {}, () => ({}));
  return {
    isDraft: draft,
    baseRefName: base,
    headRefName: head,
    headRefOid: headOid,
    headRepository: { __typename: "Repository", id: nodeId("R", org, name), name },
    headRepositoryOwner: { __typename: "Organization", id: nodeId("O", org), login: org },
    isCrossRepository: false,
    maintainerCanModify: false,
    mergeable: "MERGEABLE",
    mergeStateStatus: "CLEAN",
    merged: state === "MERGED",
    mergedAt: null,
    mergedBy: null,
    mergeCommit: null,
    potentialMergeCommit: null,
    additions: 0,
    deletions: 0,
    changedFiles: 0,
    reviewDecision: null,
    autoMergeRequest: null,
    reviewRequests: none,
    reviews: none,
    latestReviews: none,
    commits: none,
    files: none,
    closingIssuesReferences: none,
  };
}

/** Returns a page of a list as GraphQL's connection, without cursors: 100 elements by default. */
export function connection<T>(
  all: readonly T[],
  { first, states }: PageArgs,
  object: (one: T, index: number) => object | null,
): object {
  const matching = all.filter((one) => states?.includes(stateOf(one)) ?? true);
  const nodes = matching.slice(0, first ?? 100).map(object);
  return {
    totalCount: matching.length,
    nodes,
    edges: nodes.map((node) => ({ node, cursor: "" })),
    pageInfo: {
      hasNextPage: matching.length > nodes.length,
      hasPreviousPage: false,
      endCursor: null,
      startCursor: null,
    },
  };
}

function stateOf(one: unknown): string {
  return typeof one === "object" && one !== null && "state" in one ? String(one.state) : "";
}

function actor(login: string): object {
  return { __typename: "User", id: nodeId("U", login), login, name: login };
}

/** Returns an id that is opaque to clients; `readNodeId` decodes it. */
export function nodeId(kind: string, ...parts: string[]): string {
  return `${kind}_${Buffer.from(parts.join("\n")).toString("base64url")}`;
}

/** Decodes an id that `nodeId` returned. */
export function readNodeId(id: string): [kind: string, ...parts: string[]] {
  const [, kind = "", encoded = ""] = /^([A-Z]+)_(.*)$/.exec(id) ?? [];
  return [kind, ...Buffer.from(encoded, "base64url").toString().split("\n")];
}
