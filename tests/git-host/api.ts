import type { Credential } from "./tokens.ts";

export interface ApiAnswer {
  status: number;
  headers: Record<string, string>;
  body: object;
}

/** The hosting provider's API, as far as its command-line tool needs it to tell who is logged in. */
export function answerApi(credential: Credential, method: string, path: string): ApiAnswer {
  if (credential.kind !== "good") return answer(401, { message: "Bad credentials" });
  const login = credential.token.user;
  switch (`${method} ${path}`) {
    case "GET /api/v3/":
    case "GET /api/v3/user":
      return { ...answer(200, { login }), headers: { "x-oauth-scopes": "repo, read:org, gist" } };
    case "POST /api/graphql":
      return answer(200, { data: { viewer: { login } } });
    default:
      return answer(404, { message: "Not Found" });
  }
}

function answer(status: number, body: object): ApiAnswer {
  return { status, headers: {}, body };
}
