import type { ResourceInput } from "@berth/contract";
import { type Reference, References } from "@berth/store/access";
import { errors } from "@berth/store/errors";
import { resourceSecret, type SecretBox } from "@berth/store/secrets";
import { type ConnectionRow, getConnections, lockConnections } from "../../connections/connection-store.ts";
import type { NewResource } from "./resource-row.ts";
import type { Given, ResourcesOfType } from "./resources-of-type.ts";

export interface RepositoryDeps {
  secrets: SecretBox;
  /** Hosts of hosted repositories, with the port if it is not 443. */
  repositoryHosts: ReadonlySet<string>;
  /** Hosts from which repositories may be cloned over plain HTTP, with the port if it is not 80. */
  gitHttpHosts: ReadonlySet<string>;
}

type Repository = Extract<ResourceInput, { url: string }>;
type ConnectionReference = Reference & { index: number; url: string };

/**
 * Prepares hosted repositories.
 *
 * @throws errors.hostNotServed for the first repository with a host that is not a provider here.
 * @throws errors.invalid for one that has a token and a connection.
 */
export function prepareHostedRepositories(
  { secrets, repositoryHosts }: RepositoryDeps,
  given: readonly Given<"hosted_repository">[],
): ResourcesOfType {
  for (const { index, input } of given) {
    const { host } = new URL(input.url);
    if (!repositoryHosts.has(host))
      throw errors.hostNotServed(`resources[${index}].url`, host, [...repositoryHosts]);
    requireOneCredential(index, input, "authorization_token");
  }
  const connections = connectionReferences(given);
  return {
    references: connections,
    rows: (pathOf) =>
      given.map(({ id, index, input }) => ({
        ...repositoryRow(id, input, pathOf(index), connectionAt(connections, index)),
        secret:
          input.authorization_token == null
            ? null
            : secrets.seal(resourceSecret(id), input.authorization_token),
      })),
  };
}

/**
 * Prepares repositories of any other git server.
 *
 * @throws errors.httpNotAllowed for the first http URL whose host the installation does not list.
 * @throws errors.invalid for one that has a password or a user name, and a connection.
 */
export function prepareGitRepositories(
  { secrets, gitHttpHosts }: RepositoryDeps,
  given: readonly Given<"git_repository">[],
): ResourcesOfType {
  for (const { index, input } of given) {
    const { protocol, host } = new URL(input.url);
    if (protocol === "http:" && !gitHttpHosts.has(host))
      throw errors.httpNotAllowed(`resources[${index}].url`, host);
    requireOneCredential(index, input, "password");
    requireOneCredential(index, input, "username");
  }
  const connections = connectionReferences(given);
  return {
    references: connections,
    rows: (pathOf) =>
      given.map(({ id, index, input }) => {
        const connection = connectionAt(connections, index);
        return {
          ...repositoryRow(id, input, pathOf(index), connection),
          username: connection === null ? (input.username ?? null) : userNameOf(connection),
          secret: input.password == null ? null : secrets.seal(resourceSecret(id), input.password),
        };
      }),
  };
}

function repositoryRow(
  id: string,
  input: Repository,
  mountPath: string,
  connection: ConnectionRow | null,
): NewResource {
  const { type, url, checkout = null, environment, access } = input;
  return {
    ...{ id, type, mount_path: mountPath, url, checkout, environment_from: environment?.from ?? null },
    ...(connection !== null && {
      username: userNameOf(connection),
      connection_id: connection.id,
      repository_access: access ?? "read_write",
    }),
  };
}

/** Returns the user name with which git sends a connection's tokens; null for the default. */
function userNameOf({ auth }: ConnectionRow): string | null {
  if (auth.type === "token") return auth.username;
  // Bitbucket accepts access tokens with this name alone.
  return auth.type === "bitbucket" ? "x-token-auth" : null;
}

function requireOneCredential(
  index: number,
  input: Repository,
  other: "authorization_token" | "password" | "username",
): void {
  const { connection_id: connection, access } = input;
  const given = (input as Partial<Record<typeof other, string | null>>)[other];
  const param = `resources[${index}].connection_id`;
  if (connection != null && given != null)
    throw errors.invalid(`Field '${param}' cannot be combined with '${other}'.`, param);
  if (connection == null && access != null)
    throw errors.invalid(
      `Field 'resources[${index}].access' needs 'connection_id'.`,
      `resources[${index}].access`,
    );
}

/** Returns the connections of repositories, each of which must be to the repository's host. */
function connectionReferences(
  given: readonly { index: number; input: Repository }[],
): References<ConnectionReference, ConnectionRow> {
  const references = given.flatMap(({ index, input: { connection_id: id, url } }) =>
    id == null ? [] : [{ id, url, index, param: `resources[${index}].connection_id` }],
  );
  return new References("connection", references, {
    read: getConnections,
    lock: lockConnections,
    checkState({ id, url, param }, connection) {
      if (url.startsWith(`${connection.url}/`)) return;
      throw errors.invalid(
        `Field '${param}' names connection '${id}', which is to ${connection.url}, not to ${new URL(url).origin}.`,
        param,
      );
    },
  });
}

function connectionAt(
  connections: References<ConnectionReference, ConnectionRow>,
  index: number,
): ConnectionRow | null {
  return connections.pairs.find(({ given }) => given.index === index)?.row ?? null;
}
