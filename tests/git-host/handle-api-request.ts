import type { GraphqlRequest, Hub } from "./github/hub.ts";
import type { Credential, Token } from "./tokens.ts";

export interface ApiRequest {
  method: string;
  path: string;
  body: string;
}

export interface ApiResponse {
  status: number;
  headers: Record<string, string>;
  body: object;
  /** Sent in place of the body. */
  text?: string;
}

/**
 * Handles the part of the hosting provider's API that `gh` needs: the current user, and with GraphQL issues and
 * pull requests.
 */
export async function handleApiRequest(
  hub: Hub,
  credential: Credential,
  { method, path, body }: ApiRequest,
): Promise<ApiResponse> {
  if (credential.kind !== "valid") return json(401, { message: "Bad credentials" });
  const { token } = credential;
  switch (`${method} ${path}`) {
    case "GET /api/v3/":
    case "GET /api/v3/user":
      // An installation of an app is no user.
      if (token.user.endsWith("[bot]"))
        return json(403, { message: "Resource not accessible by integration" });
      return { ...json(200, accountOf(token)), headers: { "x-oauth-scopes": "repo, read:org, gist" } };
    case "POST /api/graphql":
      if (hub.graphql === undefined) return NOT_FOUND;
      return json(200, await hub.graphql(hub, token, JSON.parse(body) as GraphqlRequest));
    default:
      return NOT_FOUND;
  }
}

const NOT_FOUND = json(404, { message: "Not Found" });

/** Returns the account in GitHub's format. */
function accountOf({ user }: Token): object {
  return { login: user, id: 4242, name: `${user} (test)` };
}

function json(status: number, body: object): ApiResponse {
  return { status, headers: {}, body };
}
