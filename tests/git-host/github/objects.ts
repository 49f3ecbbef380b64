import { type Hub, requireAccess, type Sight } from "./hub.ts";
import type { Comment, Discussion, Issue, Project, PullRequest } from "./projects.ts";

/** Objects of the schema; a field that is a function gets the field's arguments. */

/** Arguments that a client may leave out or give as null. */
interface PageArgs {
  first?: number | null;
  states?: readonly string[] | null;
  headRefName?: string | null;
  baseRefName?: string | null;
}

export function repositoryObject(hub: Hub, sight: Sight): object {
  const { org, name, project, token } = sight;
  const pages = `${hub.url}/${org}/${name}`;
  const shown = (discussion: Discussion | null) => discussionObject(hub, sight, discussion);
  const numbered = ({ number }: { number: number }) => shown(project.numbered(number));
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
      requireAccess(token, { of: "issues", access: "read" });
      return connection(project.issues, args, shown);
    },
    pullRequests: (args: PageArgs) => {
      requireAccess(token, { of: "pullRequests", access: "read" });
      return connection(pullRequestsOf(project, args), args, shown);
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

export function discussionObject(hub: Hub, sight: Sight, discussion: Discussion | null): object | null {
  if (discussion === null) return null;
  return discussion.kind === "issue"
    ? { __typename: "Issue", ...common(hub, sight, discussion) }
    : { __typename: "PullRequest", ...common(hub, sight, discussion), ...ofPullRequest(sight, discussion) };
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

export function discussionUrl(hub: Hub, { org, name }: Sight, { kind, number }: Discussion): string {
  return `${hub.url}/${org}/${name}/${kind === "issue" ? "issues" : "pull"}/${number}`;
}

function common(hub: Hub, sight: Sight, discussion: Issue | PullRequest): object {
  const { org, name } = sight;
  const { number, title, body, author, state, createdAt, comments } = discussion;
  const url = discussionUrl(hub, sight, discussion);
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

function ofPullRequest({ org, name }: Sight, { draft, base, head, headOid }: PullRequest): object {
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
    merged: false,
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

/** Opaque to clients, and read again by `readNodeId`. */
export function nodeId(kind: string, ...parts: string[]): string {
  return `${kind}_${Buffer.from(parts.join("\n")).toString("base64url")}`;
}

export function readNodeId(id: string): [kind: string, ...parts: string[]] {
  const [, kind = "", encoded = ""] = /^([A-Z]+)_(.*)$/.exec(id) ?? [];
  return [kind, ...Buffer.from(encoded, "base64url").toString().split("\n")];
}
