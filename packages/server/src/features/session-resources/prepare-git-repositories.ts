import { errors } from "../../http/errors.ts";
import { resourceSecret } from "../../secrets/sealed-columns.ts";
import type { SecretBox } from "../../secrets/secret-box.ts";
import type { Given, PreparedResources } from "./prepared.ts";

export interface GitRepositoryDeps {
  secrets: SecretBox;
  /** Hosts, with their port where it is not 80, that may be spoken to without TLS. */
  gitHttpHosts: ReadonlySet<string>;
}

/** @throws errors.httpNotAllowed at the first whose url is http at a host that the installation does not name. */
export function prepareGitRepositories(
  { secrets, gitHttpHosts }: GitRepositoryDeps,
  given: readonly Given<"git_repository">[],
): PreparedResources {
  for (const { index, input } of given) {
    const { protocol, host } = new URL(input.url);
    if (protocol === "http:" && !gitHttpHosts.has(host))
      throw errors.httpNotAllowed(`resources[${index}].url`, host);
  }
  return {
    async find() {},
    reach() {},
    checkState() {},
    rows: (placeOf) =>
      given.map(({ id, index, input: { type, url, username, checkout = null, password } }) => ({
        id,
        type,
        mount_path: placeOf(index),
        url,
        username: username ?? null,
        checkout,
        secret: password == null ? null : secrets.seal(resourceSecret(id), password),
      })),
  };
}
