import { newUuid, type ResourceInput } from "@berth/contract";
import type { NewResource } from "./new-resource.ts";
import { placeResources } from "./place-resources.ts";
import { prepareFiles } from "./prepare-files.ts";
import { type GitRepositoryDeps, prepareGitRepositories } from "./prepare-git-repositories.ts";
import { type HostedRepositoryDeps, prepareHostedRepositories } from "./prepare-hosted-repositories.ts";
import { prepareMemoryStores } from "./prepare-memory-stores.ts";
import type { Given, Prepared } from "./prepared.ts";

export type ResourceDeps = HostedRepositoryDeps & GitRepositoryDeps;

export interface PreparedBody {
  kinds: readonly Prepared[];
  /** What is to be stored, when `kinds` have passed their steps. Their order is that of their ids. */
  rows(): NewResource[];
}

/**
 * The resources of a new session, each kind by itself; a kind is added here.
 *
 * @throws a refusal where the body alone shows a fault: in a host, a duplicate, or the mount paths.
 */
export function prepareResources(deps: ResourceDeps, inputs: readonly ResourceInput[]): PreparedBody {
  const given = inputs.map((input, index) => ({ id: newUuid(), index, input }));
  const kinds = [
    prepareHostedRepositories(deps, ofKind(given, "hosted_repository")),
    prepareGitRepositories(deps, ofKind(given, "git_repository")),
    prepareFiles(ofKind(given, "file")),
    prepareMemoryStores(ofKind(given, "memory_store")),
  ];
  const places = placeResources(inputs);
  return {
    kinds,
    rows: () => kinds.flatMap((kind) => kind.rows((index) => places[index] ?? "")),
  };
}

function ofKind<Kind extends ResourceInput["type"]>(
  given: readonly { id: string; index: number; input: ResourceInput }[],
  kind: Kind,
): Given<Kind>[] {
  return given.filter((one): one is Given<Kind> => one.input.type === kind);
}
