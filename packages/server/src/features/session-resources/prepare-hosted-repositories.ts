import { errors } from "../../http/errors.ts";
import { resourceSecret } from "../../secrets/sealed-columns.ts";
import type { SecretBox } from "../../secrets/secret-box.ts";
import type { Given, PreparedResources } from "./prepared.ts";

export interface HostedRepositoryDeps {
  secrets: SecretBox;
  /** Hosts, with their port where it is not 443, whose repositories can be attached. */
  repositoryHosts: ReadonlySet<string>;
}

/** @throws errors.hostNotServed at the first whose host is no provider of this installation. */
export function prepareHostedRepositories(
  { secrets, repositoryHosts }: HostedRepositoryDeps,
  given: readonly Given<"hosted_repository">[],
): PreparedResources {
  for (const { index, input } of given) {
    const { host } = new URL(input.url);
    if (!repositoryHosts.has(host))
      throw errors.hostNotServed(`resources[${index}].url`, host, [...repositoryHosts]);
  }
  return {
    async find() {},
    reach() {},
    checkState() {},
    rows: (placeOf) =>
      given.map(({ id, index, input: { type, url, checkout = null, authorization_token: token } }) => ({
        id,
        type,
        mount_path: placeOf(index),
        url,
        checkout,
        secret: token == null ? null : secrets.seal(resourceSecret(id), token),
      })),
  };
}
