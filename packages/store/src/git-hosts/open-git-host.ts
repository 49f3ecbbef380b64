import type { ConnectionAuth } from "@berth/contract";
import type { GuardedFetch } from "@berth/egress";
import type { HostAddress } from "./ask-host.ts";
import { BitbucketApi, bitbucketHost } from "./bitbucket.ts";
import { bound, type GitHost, givesItself, type HostAccess, type RepositoryApi } from "./git-host.ts";
import { GitHostError } from "./git-host-error.ts";
import { GiteaApi, giteaHost } from "./gitea.ts";
import { GitHubApi, gitHubAppHost } from "./github.ts";
import { GitLabApi, gitLabHost } from "./gitlab.ts";

/** Returns the host of a connection. It asks the host for nothing yet. */
export function openGitHost(fetch: GuardedFetch, access: HostAccess): GitHost {
  const { url, apiUrl, auth, secret, asker } = access;
  const { host, origin } = new URL(url);
  const at: HostAddress = { fetch, host, origin, api: apiUrl ?? "", ...(asker !== undefined && { asker }) };
  switch (auth.type) {
    case "github_app":
      return gitHubAppHost(at, auth, secret);
    case "gitlab":
      return gitLabHost(at, secret);
    case "gitea":
      return giteaHost(at, auth.username, secret);
    case "bitbucket":
      return bitbucketHost(at, auth.workspace, secret);
    case "token":
      return { ...apiOf(auth.api, at, secret), ...givesItself(secret) };
  }
}

function apiOf(
  api: Extract<ConnectionAuth, { type: "token" }>["api"],
  at: HostAddress,
  token: string,
): RepositoryApi {
  switch (api) {
    case "github":
      return bound(new GitHubApi(at, token));
    case "gitlab":
      return bound(new GitLabApi(at, token));
    case "gitea":
      return bound(new GiteaApi(at, `token ${token}`));
    case "bitbucket":
      return bound(new BitbucketApi(at, null, token));
    case null:
      return unknownApi(at.host);
  }
}

function unknownApi(host: string): RepositoryApi {
  const reject = async (): Promise<never> => {
    throw new GitHostError(
      `The connection does not say by which API ${host} is asked, so only a clone shows whether its token works.`,
      { kind: "unknown" },
    );
  };
  const pullRequests = async (): Promise<never> => {
    throw new GitHostError(
      `Nothing says by which API ${host} is asked for pull requests: a connection with its API does.`,
      { kind: "unknown" },
    );
  };
  return { check: reject, repositories: reject, branches: reject, pullRequests, converse: pullRequests };
}
