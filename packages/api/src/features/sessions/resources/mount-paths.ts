import { pathsOverlap, type ResourceInput, repositoryMountPath, repositoryName } from "@berth/contract";
import { errors } from "@berth/store/errors";

/** Returns the mount path of a file when the request gives none. */
export function defaultFileMountPath(fileId: string): string {
  return `/mnt/session/uploads/${fileId}`;
}

/** Resources whose mount path the body can give. Memory stores and vaults have none. */
type MountedInput = Exclude<ResourceInput, { type: "memory_store" | "vault" }>;

/** A resource and its mount path. */
export interface MountPoint {
  type: ResourceInput["type"];
  mount_path: string;
}

/**
 * Returns the mount path of each resource, empty for memory stores and vaults. It is the given one, else
 * `/data/<repo>`, or `/data/<repo>-2` and so on while another resource overlaps.
 *
 * @throws errors.mountTaken for the later one of two given paths that overlap; errors.mountInGit
 */
export function resourceMountPaths(resources: readonly ResourceInput[]): string[] {
  const paths = resources.map((resource) => (isMounted(resource) ? givenPath(resource) : null));
  const taken: MountPoint[] = [];
  for (const [index, { type }] of resources.entries()) {
    const path = paths[index];
    if (path == null) continue;
    const mount = { type, mount_path: path };
    for (const earlier of taken) checkCoexist(mount, earlier, `resources[${index}].mount_path`);
    taken.push(mount);
  }
  return paths.map((path, index) => {
    const resource = resources[index];
    if (path !== null || resource === undefined || !isMounted(resource)) return path ?? "";
    const free = freeRepositoryPath(resource, index, taken);
    taken.push({ type: resource.type, mount_path: free });
    return free;
  });
}

/**
 * Checks that two mounts can coexist: a file may be inside a repository, but not in its `.git`. Other paths
 * must not be equal or contain each other.
 *
 * @throws errors.mountTaken, errors.mountInGit
 */
export function checkCoexist(one: MountPoint, other: MountPoint, param: string): void {
  if (!pathsOverlap(one.mount_path, other.mount_path)) return;
  const path = pathInRepository(one, other) ?? pathInRepository(other, one);
  if (path === null) throw errors.mountTaken(param, other.mount_path);
  if (path.split("/").some((name) => name.toLowerCase() === ".git")) throw errors.mountInGit(param);
}

/** Returns the path of a file relative to the repository that contains it; null when no repository does. */
function pathInRepository(file: MountPoint, repository: MountPoint): string | null {
  const isRepository = repository.type === "hosted_repository" || repository.type === "git_repository";
  if (file.type !== "file" || !isRepository) return null;
  const root = `${repository.mount_path}/`;
  return file.mount_path.startsWith(root) ? file.mount_path.slice(root.length) : null;
}

function isMounted(resource: ResourceInput): resource is MountedInput {
  return resource.type !== "memory_store" && resource.type !== "vault";
}

function givenPath(resource: MountedInput): string | null {
  if (resource.mount_path != null) return resource.mount_path;
  return resource.type === "file" ? defaultFileMountPath(resource.file_id) : null;
}

function freeRepositoryPath(resource: MountedInput, index: number, taken: readonly MountPoint[]): string {
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
    if (taken.every((other) => canCoexist({ type: resource.type, mount_path: path }, other))) return path;
  }
}

function canCoexist(one: MountPoint, other: MountPoint): boolean {
  try {
    checkCoexist(one, other, "");
    return true;
  } catch {
    return false;
  }
}
