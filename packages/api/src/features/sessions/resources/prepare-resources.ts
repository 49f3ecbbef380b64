import { newUuid, type ResourceInput } from "@berth/contract";
import type { ReferenceCheck } from "@berth/store/access";
import { errors } from "@berth/store/errors";
import { fileReferences } from "../../files/file-references.ts";
import { resourceMountPaths } from "./mount-paths.ts";
import { prepareMemoryStores } from "./prepare-memory-stores.ts";
import {
  prepareGitRepositories,
  prepareHostedRepositories,
  type RepositoryDeps,
} from "./prepare-repositories.ts";
import type { NewResource } from "./resource-row.ts";
import type { Given, ResourcesOfType } from "./resources-of-type.ts";

export interface PreparedResources {
  references: readonly ReferenceCheck[];
  /** Returns the rows to store, once all checks of `references` have passed. Lists order them by id. */
  rows(): NewResource[];
}

/**
 * Prepares the resources of a new session, type by type. A new type is added here.
 *
 * @throws an ApiError for a fault that the body alone shows: in a host, a duplicate, or the mount paths.
 */
export function prepareResources(deps: RepositoryDeps, inputs: readonly ResourceInput[]): PreparedResources {
  const given = inputs.map((input, index) => ({ id: newUuid(), index, input }));
  const types = [
    prepareHostedRepositories(deps, ofType(given, "hosted_repository")),
    prepareGitRepositories(deps, ofType(given, "git_repository")),
    prepareFiles(ofType(given, "file")),
    prepareMemoryStores(ofType(given, "memory_store")),
  ];
  requireOneEnvironment(inputs);
  const paths = resourceMountPaths(inputs);
  return {
    references: types.flatMap(({ references }) => references ?? []),
    rows: () => types.flatMap((type) => type.rows((index) => paths[index] ?? "")),
  };
}

/** @throws errors.invalid for the second repository from which the session is to take its environment. */
function requireOneEnvironment(inputs: readonly ResourceInput[]): void {
  const given = inputs.flatMap((input, index) =>
    "url" in input && input.environment != null ? [index] : [],
  );
  if (given.length < 2) return;
  const param = `resources[${given[1]}].environment`;
  throw errors.invalid(`Field '${param}' may be set for one repository of a session.`, param);
}

/** @throws errors.invalid for the first file that is given twice. */
function prepareFiles(given: readonly Given<"file">[]): ResourcesOfType {
  const files = given.map(({ index, id: rowId, input }) => ({
    rowId,
    index,
    id: input.file_id,
    param: `resources[${index}].file_id`,
  }));
  for (const [at, { id, param }] of files.entries()) {
    if (files.findIndex((file) => file.id === id) < at)
      throw errors.invalid(`File '${id}' is given twice.`, param);
  }
  const references = fileReferences(files);
  return {
    references,
    rows: (pathOf) =>
      references.pairs.map(({ given: { rowId, index }, row }) => ({
        id: rowId,
        type: "file",
        mount_path: pathOf(index),
        file_id: row.id,
      })),
  };
}

function ofType<Type extends ResourceInput["type"]>(
  given: readonly { id: string; index: number; input: ResourceInput }[],
  type: Type,
): Given<Type>[] {
  return given.filter((one): one is Given<Type> => one.input.type === type);
}
