import type { ConnectionAuth } from "@berth/contract";
import type { GuardedFetch } from "@berth/egress";
import {
  type GitHost,
  GitHostError,
  openGitHost,
  type PullRequestAnswer,
  SESSION_TOKEN,
} from "@berth/store/git-hosts";
import { SecretMask } from "@berth/store/masking";
import { connectionSecret, resourceSecret, type SecretBox } from "@berth/store/secrets";
import { apiUrlAt } from "../../connections/host-urls.ts";
import type { PullRequestClaim, RepositoryAccess } from "./pull-request-store.ts";

/** A provider of hosted repositories. */
export interface HostedApi {
  /** With the port if it is not 443. */
  host: string;
  /** URL of its API if that is elsewhere than usual; else null. */
  url: string | null;
  /** Null if it is not known. */
  api: Extract<ConnectionAuth, { type: "token" }>["api"];
}

export interface AskDeps {
  secrets: SecretBox;
  /** Reaches git hosts. */
  fetch: GuardedFetch;
  hostedApis: readonly HostedApi[];
}

/**
 * Asks a repository's host for the pull requests of its branches, by the repository's connection or with the
 * token that was given. A secret goes only where the session's sandbox may send it.
 *
 * @throws GitHostError
 */
export async function askForPullRequests(
  deps: AskDeps,
  claim: PullRequestClaim,
  since: Date,
): Promise<PullRequestAnswer> {
  const { branches, known } = claim;
  const { host, repository, token, mask } = openHostOf(deps, claim);
  const answer = await host.pullRequests({ repository, branches, known, since, token });
  const masked: unknown = JSON.parse(JSON.stringify(answer), (_name, value) =>
    typeof value === "string" ? mask.mask(value) : value,
  );
  return masked as PullRequestAnswer;
}

/** A repository's host, with the credential by which it is asked. */
export interface OpenHost {
  host: GitHost;
  /** The full name of the repository, such as `acme/widget`. */
  repository: string;
  /** The token that the session has; null for none. */
  token: string | null;
  /** Masks the secrets by which the host is asked. */
  mask: SecretMask;
}

/** Opens a repository's host, by its connection or with the token that was given. @throws GitHostError */
export function openHostOf({ secrets, fetch, hostedApis }: AskDeps, access: RepositoryAccess): OpenHost {
  const { resourceId, connection } = access;
  const { origin, pathname } = new URL(access.url);
  const repository = decodeURIComponent(pathname.replace(/^\/+|\/+$/g, "").replace(/\.git$/, ""));
  const mask = new SecretMask();
  const opened = (box: Buffer, location: Parameters<SecretBox["open"]>[0]) => {
    const secret = secrets.open(location, box);
    mask.add(secret);
    return secret;
  };
  const token = access.secret === null ? null : opened(access.secret, resourceSecret(resourceId));
  const host =
    connection === null
      ? openGitHost(fetch, givenAccess(hostedApis, access, origin, token))
      : openGitHost(fetch, {
          ...{ url: connection.url, apiUrl: connection.apiUrl, auth: connection.auth },
          secret: opened(connection.secret, connectionSecret(connection.id)),
        });
  return { host, repository, token, mask };
}

/** Returns how a host is asked with the token that was given to a session. */
function givenAccess(
  hostedApis: readonly HostedApi[],
  { type, url }: RepositoryAccess,
  origin: string,
  token: string | null,
) {
  const { host } = new URL(url);
  if (token === null)
    throw new GitHostError(`The session has neither a token nor a connection by which to ask ${host}.`, {
      kind: "unknown",
    });
  if (type !== "hosted_repository")
    throw new GitHostError(
      "The password of a 'git_repository' is for git alone: a connection can ask its host for pull requests.",
      { kind: "unknown" },
    );
  const provider = hostedApis.find((one) => one.host === host);
  const auth = { type: "token" as const, api: provider?.api ?? null, username: null };
  const apiUrl = provider?.url ?? apiUrlAt(origin, auth);
  return { url: origin, apiUrl, auth, secret: token, asker: SESSION_TOKEN };
}
