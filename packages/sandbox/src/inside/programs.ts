import { chmod, cp, mkdir, writeFile } from "node:fs/promises";

/** Writes programs that sandboxes have, by name, and ripgrep unless its path is null. */
export async function writePrograms(
  directory: string,
  programs: Readonly<Record<string, string>>,
  ripgrep: string | null,
): Promise<void> {
  await mkdir(directory, { recursive: true });
  for (const [name, text] of Object.entries(programs)) {
    await writeFile(`${directory}/${name}`, text);
    await chmod(`${directory}/${name}`, 0o755);
  }
  if (ripgrep === null) return;
  await cp(ripgrep, `${directory}/rg`);
  await chmod(`${directory}/rg`, 0o755);
}
