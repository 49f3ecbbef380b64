import { buildSystem, exportSystem, importSystem, type System, showSystem } from "@berth/server";
import type { OutputOptions } from "../../shared/formats.ts";
import { printResult } from "../../shared/output.ts";
import { table } from "../../terminal/table.ts";
import { operatorErrors } from "./operator-errors.ts";

interface SystemOptions extends OutputOptions {
  dataDir?: string;
  config?: string;
}

/** Prints the system of sandboxes, with the versions of its packages. */
export async function show({ dataDir, config, ...output }: SystemOptions): Promise<undefined> {
  const system = await operatorErrors(() => showSystem({ "data-dir": dataDir, config }));
  const rows = Object.entries(system.packages);
  await printResult(system, output, () => [place(system), ...table(rows)]);
}

/** Builds the system of sandboxes unless it is there. */
export async function build({ dataDir, config, ...output }: SystemOptions): Promise<undefined> {
  const system = await operatorErrors(() => buildSystem({ "data-dir": dataDir, config }));
  await printResult(system, output, () => [place(system)]);
}

/** Packs the system of sandboxes into a new file. */
export async function exportTo(
  file: string,
  { dataDir, config, ...output }: SystemOptions,
): Promise<undefined> {
  const system = await operatorErrors(() => exportSystem({ "data-dir": dataDir, config }, file));
  await printResult({ ...system, file }, output, () => [`${file} has the system ${system.name}.`]);
}

/** Unpacks the system of sandboxes from a file. */
export async function importFrom(
  file: string,
  { dataDir, config, ...output }: SystemOptions,
): Promise<undefined> {
  const system = await operatorErrors(() => importSystem({ "data-dir": dataDir, config }, file));
  await printResult(system, output, () => [place(system)]);
}

function place({ name, path, directory }: System): string {
  return path === null ? `${name} is not built. Its directory is ${directory}.` : `${name} is at ${path}.`;
}
