import { errors } from "@berth/store/errors";
import { resourceSecret, type SecretBox } from "@berth/store/secrets";
import type { Given, ResourcesOfType } from "./resources-of-type.ts";

export interface RepositoryDeps {
  secrets: SecretBox;
  /** Hosts of hosted repositories, with the port if it is not 443. */
  repositoryHosts: ReadonlySet<string>;
  /** Hosts from which repositories may be cloned over plain HTTP, with the port if it is not 80. */
  gitHttpHosts: ReadonlySet<string>;
}

/** @throws errors.hostNotServed for the first repository with a host that is not a provider here. */
export function prepareHostedRepositories(
  { secrets, repositoryHosts }: RepositoryDeps,
  given: readonly Given<"hosted_repository">[],
): ResourcesOfType {
  for (const { index, input } of given) {
    const { host } = new URL(input.url);
    if (!repositoryHosts.has(host))
      throw errors.hostNotServed(`resources[${index}].url`, host, [...repositoryHosts]);
  }
  return {
    rows: (pathOf) =>
      given.map(({ id, index, input: { type, url, checkout = null, authorization_token: token } }) => ({
        id,
        type,
        mount_path: pathOf(index),
        url,
        checkout,
        secret: token == null ? null : secrets.seal(resourceSecret(id), token),
      })),
  };
}

/** @throws errors.httpNotAllowed for the first http URL whose host the installation does not list. */
export function prepareGitRepositories(
  { secrets, gitHttpHosts }: RepositoryDeps,
  given: readonly Given<"git_repository">[],
): ResourcesOfType {
  for (const { index, input } of given) {
    const { protocol, host } = new URL(input.url);
    if (protocol === "http:" && !gitHttpHosts.has(host))
      throw errors.httpNotAllowed(`resources[${index}].url`, host);
  }
  return {
    rows: (pathOf) =>
      given.map(({ id, index, input: { type, url, username, checkout = null, password } }) => ({
        id,
        type,
        mount_path: pathOf(index),
        url,
        username: username ?? null,
        checkout,
        secret: password == null ? null : secrets.seal(resourceSecret(id), password),
      })),
  };
}
