const ROOT = "/mnt/memory";
const LONGEST = 64;

/**
 * Where the stores of a session appear, by their names: `/mnt/memory/` and the name in lower-case ASCII letters, digits
 * and hyphens, numbered from 2 when one before has it already. The same names give the same places.
 */
export function memoryMountPaths(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    const slug = slugOf(name);
    let place = slug;
    for (let count = 2; taken.has(place); count++) place = `${slug}-${count}`;
    taken.add(place);
    return `${ROOT}/${place}`;
  });
}

function slugOf(name: string): string {
  const words = name
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, LONGEST)
    .replaceAll(/^-|-$/g, "");
  return words === "" ? "store" : words;
}
