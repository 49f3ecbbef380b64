export { rsaKey } from "./git-hosts/app-jwt.ts";
export { SESSION_TOKEN } from "./git-hosts/ask-host.ts";
export type {
  GitHost,
  HostAccess,
  HostPage,
  MadeToken,
  RevokedToken,
  TokenRequest,
} from "./git-hosts/git-host.ts";
export { GitHostError, type HostFault } from "./git-hosts/git-host-error.ts";
export { openGitHost } from "./git-hosts/open-git-host.ts";
export {
  type FailedCheck,
  failedChecks,
  type HostAuthor,
  type HostPlace,
  type PullComment,
  type PullConversation,
} from "./git-hosts/pull-conversation.ts";
export type { FoundPull, PullRequestAnswer, PullRequestQuestion } from "./git-hosts/pull-requests.ts";
