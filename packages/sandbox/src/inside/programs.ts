import { chmod, cp, mkdir, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { shellScript } from "../scripts/read-script.ts";
import { SHIMS_INSIDE } from "./environment.ts";

/** Programs that no session has, and that say what to use instead. */
const SHIMS = [
  ...["docker", "docker-compose", "podman", "ping", "ping6"],
  ...["nvm", "fnm", "volta", "pyenv", "rbenv", "rustup", "asdf", "mise", "sdk"],
];

const SHIM = shellScript("shims/instead.sh");

/** Writes the programs that sandboxes have: these, by name, ripgrep, and shims. */
export async function writePrograms(
  directory: string,
  programs: Readonly<Record<string, string>>,
): Promise<void> {
  await writeScripts(directory, programs);
  await cp(rgPath, `${directory}/rg`);
  await chmod(`${directory}/rg`, 0o755);
  const shims = Object.fromEntries(SHIMS.map((name) => [name, SHIM]));
  await writeScripts(`${directory}/${basename(SHIMS_INSIDE)}`, shims);
}

/** Writes scripts by name. */
export async function writeScripts(
  directory: string,
  scripts: Readonly<Record<string, string>>,
): Promise<void> {
  await mkdir(directory, { recursive: true });
  for (const [name, text] of Object.entries(scripts)) {
    await writeFile(`${directory}/${name}`, text);
    await chmod(`${directory}/${name}`, 0o755);
  }
}
