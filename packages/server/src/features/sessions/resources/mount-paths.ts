import { pathsOverlap, type ResourceInput, repositoryMountPath, repositoryName } from "@berth/contract";
import { errors } from "../../../errors/catalogue.ts";

/** The mount path of a file when the request has none. */
export function defaultFileMountPath(fileId: string): string {
  return `/mnt/session/uploads/${fileId}`;
}

/** Resources whose mount path the body can give. Memory stores have a directory of their own, and vaults have none. */
type MountedInput = Exclude<ResourceInput, { type: "memory_store" | "vault" }>;

/**
 * The mount path of each resource, empty for memory stores and vaults. It is the given one, else `/data/<repo>`, then
 * `/data/<repo>-2` and so on while another resource is in the way.
 *
 * @throws errors.mountTaken when two given paths are equal or one contains the other, for the later one.
 */
export function resourceMountPaths(resources: readonly ResourceInput[]): string[] {
  const paths = resources.map((resource) => (isMounted(resource) ? givenPath(resource) : null));
  const taken: string[] = [];
  for (const [index, path] of paths.entries()) {
    if (path === null) continue;
    const other = taken.find((earlier) => pathsOverlap(earlier, path));
    if (other !== undefined) throw errors.mountTaken(`resources[${index}].mount_path`, other);
    taken.push(path);
  }
  return paths.map((path, index) => {
    const resource = resources[index];
    if (path !== null || resource === undefined || !isMounted(resource)) return path ?? "";
    const free = freeRepositoryPath(resource, index, taken);
    taken.push(free);
    return free;
  });
}

function isMounted(resource: ResourceInput): resource is MountedInput {
  return resource.type !== "memory_store" && resource.type !== "vault";
}

function givenPath(resource: MountedInput): string | null {
  if (resource.mount_path != null) return resource.mount_path;
  return resource.type === "file" ? defaultFileMountPath(resource.file_id) : null;
}

function freeRepositoryPath(resource: MountedInput, index: number, taken: readonly string[]): string {
  const name = resource.type === "file" ? "" : repositoryName(resource.url);
  for (let count = 1; ; count++) {
    const path = count === 1 ? `/data/${name}` : `/data/${name}-${count}`;
    if (!repositoryMountPath.safeParse(path).success) {
      const param = `resources[${index}].mount_path`;
      throw errors.invalid(
        `Field '${param}' is required, because the repository's name does not make a valid path.`,
        param,
      );
    }
    if (!taken.some((other) => pathsOverlap(other, path))) return path;
  }
}
