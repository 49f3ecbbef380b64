import { type ConnectionAuth, type connectionRoutes, type Input, newUuid } from "@berth/contract";
import { ownerAskedFor, type Principal } from "@berth/store/access";
import type { Queryable } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import { rsaKey } from "@berth/store/git-hosts";
import { connectionSecret, type SecretBox } from "@berth/store/secrets";
import { type ConnectionRow, insertConnection } from "./connection-store.ts";
import { apiUrlAt, hostUrlOf } from "./host-urls.ts";

export interface ConnectionDeps {
  secrets: SecretBox;
  /** Hosts that may be reached by plain HTTP, with the port if it is not 80. */
  gitHttpHosts: ReadonlySet<string>;
}

type Body = Input<typeof connectionRoutes.create>["body"];
type UpdateBody = Input<typeof connectionRoutes.update>["body"];

/**
 * Stores a connection, with its secret sealed.
 *
 * @throws errors.invalid for a missing address, or a private key that is none; errors.httpNotAllowed;
 *   errors.adminsOnly for one of the organization by a user who is no admin
 */
export async function createConnection(
  db: Queryable,
  { secrets, gitHttpHosts }: ConnectionDeps,
  principal: Principal,
  body: Body,
): Promise<ConnectionRow> {
  const auth = shownAuth(body.auth);
  const url = body.url ?? hostUrlOf(auth);
  if (url === null) throw errors.invalid("Field 'url' is required.", "url");
  const apiUrl = body.api_url ?? apiUrlAt(url, auth);
  requireAllowed(gitHttpHosts, "url", url);
  if (apiUrl !== null) requireAllowed(gitHttpHosts, body.api_url == null ? "url" : "api_url", apiUrl);
  const owner = ownerAskedFor(principal, body.owner_type, "create a connection for all its members");
  const id = newUuid();
  return await insertConnection(db, {
    ...{ id, ...owner, display_name: body.display_name, url, api_url: apiUrl, auth },
    secret: secrets.seal(connectionSecret(id), requireSecret(body.auth)),
    metadata: body.metadata ?? {},
  });
}

/** Returns the secret of a request. @throws errors.invalid for a private key that is none. */
export function requireSecret(auth: Body["auth"] | NonNullable<UpdateBody["auth"]>): string {
  if ("token" in auth) return auth.token;
  if ("password" in auth) return auth.password;
  if (rsaKey(auth.private_key) !== null) return auth.private_key;
  throw errors.invalid(
    "Field 'auth.private_key' must be an RSA private key in PEM form, as GitHub gives it for an app.",
    "auth.private_key",
  );
}

function shownAuth(auth: Body["auth"]): ConnectionAuth {
  switch (auth.type) {
    case "github_app":
      return { type: auth.type, app_id: auth.app_id, installation_id: auth.installation_id };
    case "gitlab":
      return { type: auth.type };
    case "gitea":
      return { type: auth.type, username: auth.username };
    case "bitbucket":
      return { type: auth.type, workspace: auth.workspace };
    case "token":
      return { type: auth.type, api: auth.api ?? null, username: auth.username ?? null };
  }
}

function requireAllowed(gitHttpHosts: ReadonlySet<string>, param: string, url: string): void {
  const parsed = URL.parse(url);
  if (parsed === null) throw errors.invalid(`Field '${param}' must be an https URL.`, param);
  if (parsed.protocol === "http:" && !gitHttpHosts.has(parsed.host))
    throw errors.httpNotAllowed(param, parsed.host);
}
