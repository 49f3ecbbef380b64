import type { Berth } from "@berth/sdk";
import { UsageError } from "../../shared/failure.ts";
import { secretFile, secretVariable } from "../../shared/secret.ts";
import { findRepository, isFullName } from "./connected-repository.ts";

export interface RepositoryOptions {
  repo?: string;
  branch?: string;
  tag?: string;
  ref?: string;
  commit?: string;
  tokenEnv?: string;
  repoTokenFile?: string;
  connection?: string;
}

/**
 * Checks the options. Returns a function that returns the resources of the new session: the repository, or
 * none without `--repo`. It looks for a repository that is given by its name.
 */
export async function repositoryResources(options: RepositoryOptions) {
  const { repo, branch, tag, ref, commit, tokenEnv, repoTokenFile, connection } = options;
  const token = await repositoryToken(tokenEnv, repoTokenFile);
  if (repo === undefined) {
    const dependent = Object.entries({
      branch,
      tag,
      ref,
      commit,
      "token-env": tokenEnv,
      "repo-token-file": repoTokenFile,
      connection,
    });
    const [given] = dependent.find(([, value]) => value !== undefined) ?? [];
    if (given !== undefined) throw new UsageError(`--${given} needs --repo.`);
    return async () => [];
  }
  const isNamed = isFullName(repo);
  if (token !== null && (isNamed || connection !== undefined))
    throw new UsageError(
      "With --connection, leave out --token-env and --repo-token-file: the connection has the credential.",
    );
  const url = isNamed ? null : repositoryUrl(repo);
  const checkouts = [
    ...(branch === undefined ? [] : [{ type: "branch" as const, name: branch }]),
    ...(tag === undefined ? [] : [{ type: "tag" as const, name: tag }]),
    ...(ref === undefined ? [] : [{ type: "ref" as const, name: ref }]),
    ...(commit === undefined ? [] : [{ type: "commit" as const, sha: commit }]),
  ];
  if (checkouts.length > 1) throw new UsageError("Set only one of --branch, --tag, --ref and --commit.");
  return async (client: Berth) => [
    {
      type: "hosted_repository" as const,
      ...(url === null
        ? await findRepository(client, repo, connection)
        : { url, ...(connection === undefined ? {} : { connection_id: connection }) }),
      checkout: checkouts[0] ?? null,
      ...(token === null ? {} : { authorization_token: token }),
    },
  ];
}

async function repositoryToken(name: string | undefined, file: string | undefined): Promise<string | null> {
  if (name !== undefined && file !== undefined) {
    throw new UsageError("Set either --token-env or --repo-token-file, not both.");
  }
  if (name !== undefined) return secretVariable(name);
  return file === undefined ? null : secretFile(file);
}

/**
 * Returns the repository's URL in the form that the API expects. Accepts a trailing `.git` or slash and
 * `git@host:org/repo.git`. Rejects a URL with credentials without repeating it.
 */
function repositoryUrl(given: string): string {
  const ssh = /^(?:ssh:\/\/)?git@([^:/]+)[:/](.+)$/.exec(given);
  const url = parse(ssh === null ? given : `https://${ssh[1]}/${ssh[2]}`);
  if (url === null)
    throw new UsageError(
      "--repo must be a URL such as https://github.com/org/repo, or a name such as org/repo.",
    );
  if (url.username !== "" || url.password !== "") {
    throw new UsageError(
      "--repo must not contain credentials. Set the token with --token-env or --repo-token-file.",
    );
  }
  return `https://${url.host}${url.pathname.replace(/\/+$/, "").replace(/\.git$/, "")}`;
}

function parse(text: string): URL | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url?.protocol === "https:" ? url : null;
}
