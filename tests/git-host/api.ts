import type { GraphqlRequest } from "./github/answer-graphql.ts";
import type { Hub } from "./github/hub.ts";
import type { Credential } from "./tokens.ts";

export interface ApiRequest {
  method: string;
  path: string;
  body: string;
}

export interface ApiAnswer {
  status: number;
  headers: Record<string, string>;
  body: object;
}

/** The hosting provider's API, as far as its command-line tool needs it: who is logged in, issues and pull requests. */
export async function answerApi(
  hub: Hub,
  credential: Credential,
  { method, path, body }: ApiRequest,
): Promise<ApiAnswer> {
  if (credential.kind !== "good") return answer(401, { message: "Bad credentials" });
  const { token } = credential;
  switch (`${method} ${path}`) {
    case "GET /api/v3/":
    case "GET /api/v3/user":
      return { ...answer(200, { login: token.user }), headers: { "x-oauth-scopes": "repo, read:org, gist" } };
    case "POST /api/graphql": {
      const { answerGraphql } = await import("./github/answer-graphql.ts");
      return answer(200, await answerGraphql(hub, token, JSON.parse(body) as GraphqlRequest));
    }
    default:
      return answer(404, { message: "Not Found" });
  }
}

function answer(status: number, body: object): ApiAnswer {
  return { status, headers: {}, body };
}
