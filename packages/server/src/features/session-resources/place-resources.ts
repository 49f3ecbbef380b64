import { mountPath, pathsOverlap, type ResourceInput, repositoryName } from "@berth/contract";
import { errors } from "../../http/errors.ts";

/** Where the file of this id appears when nothing is said. */
export function defaultFileMount(fileId: string): string {
  return `/mnt/session/uploads/${fileId}`;
}

/** What is mounted where the body says. Memory stores have a place of their own, which nothing else can be in, and vaults none. */
type PlacedInput = Exclude<ResourceInput, { type: "memory_store" | "vault" }>;

/**
 * The mount path of each resource but memory stores and vaults: the given ones, and for the rest `/data/<repo>`, then `/data/<repo>-2` … when
 * another is in the way.
 *
 * @throws errors.invalid when two given ones are equal or lie in each other, at the later of them.
 */
export function placeResources(resources: readonly ResourceInput[]): string[] {
  const places = resources.map((resource) => (isPlaced(resource) ? givenPlace(resource) : null));
  const taken: string[] = [];
  for (const [index, place] of places.entries()) {
    if (place === null) continue;
    const other = taken.find((path) => pathsOverlap(path, place));
    if (other !== undefined) throw errors.mountTaken(`resources[${index}].mount_path`, other);
    taken.push(place);
  }
  return places.map((place, index) => {
    const resource = resources[index];
    if (place !== null || resource === undefined || !isPlaced(resource)) return place ?? "";
    const free = freeRepositoryMount(resource, index, taken);
    taken.push(free);
    return free;
  });
}

function isPlaced(resource: ResourceInput): resource is PlacedInput {
  return resource.type !== "memory_store" && resource.type !== "vault";
}

function givenPlace(resource: PlacedInput): string | null {
  if (resource.mount_path != null) return resource.mount_path;
  return resource.type === "file" ? defaultFileMount(resource.file_id) : null;
}

function freeRepositoryMount(resource: PlacedInput, index: number, taken: readonly string[]): string {
  const name = resource.type === "file" ? "" : repositoryName(resource.url);
  for (let count = 1; ; count++) {
    const place = count === 1 ? `/data/${name}` : `/data/${name}-${count}`;
    if (!mountPath.safeParse(place).success) {
      const param = `resources[${index}].mount_path`;
      throw errors.invalid(`Field '${param}' is required, since the repository's name makes no path.`, param);
    }
    if (!taken.some((path) => pathsOverlap(path, place))) return place;
  }
}
