import { mountPath, nested, type ResourceInput, repositoryName } from "@berth/contract";
import { errors } from "../../http/errors.ts";

/** Where the file of this id appears when nothing is said. */
export function defaultFileMount(fileId: string): string {
  return `/mnt/session/uploads/${fileId}`;
}

/**
 * The mount path of each resource: the given ones, and for the rest `/data/<repo>`, then `/data/<repo>-2` … when
 * another is in the way.
 *
 * @throws errors.invalid when two given ones are equal or lie in each other, at the later of them.
 */
export function placeResources(resources: readonly ResourceInput[]): string[] {
  const places = resources.map(givenPlace);
  const taken: string[] = [];
  for (const [index, place] of places.entries()) {
    if (place === null) continue;
    const other = taken.find((path) => nested(path, place));
    if (other !== undefined) throw errors.mountTaken(`resources[${index}].mount_path`, other);
    taken.push(place);
  }
  return places.map((place, index) => {
    if (place !== null) return place;
    const free = freeRepositoryMount(resources[index], index, taken);
    taken.push(free);
    return free;
  });
}

function givenPlace(resource: ResourceInput): string | null {
  if (resource.mount_path != null) return resource.mount_path;
  return resource.type === "file" ? defaultFileMount(resource.file_id) : null;
}

function freeRepositoryMount(
  resource: ResourceInput | undefined,
  index: number,
  taken: readonly string[],
): string {
  const name = resource === undefined || resource.type === "file" ? "" : repositoryName(resource.url);
  for (let count = 1; ; count++) {
    const place = count === 1 ? `/data/${name}` : `/data/${name}-${count}`;
    if (!mountPath.safeParse(place).success) {
      const param = `resources[${index}].mount_path`;
      throw errors.invalid(`Field '${param}' is required, since the repository's name makes no path.`, param);
    }
    if (!taken.some((path) => nested(path, place))) return place;
  }
}
