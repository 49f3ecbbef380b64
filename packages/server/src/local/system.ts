import { resolve } from "node:path";
import {
  buildRootFilesystem,
  builtRootFilesystem,
  DEBIAN_RECIPE,
  exportRootFilesystem,
  importRootFilesystem,
  missingForBuilding,
  missingForMounting,
  readPackages,
  recipeKey,
  SandboxError,
} from "@berth/sandbox";
import { OperatorError } from "@berth/store/errors";
import { type Config, systemDirectory } from "../config/config.ts";
import { withSettings } from "../config/with-settings.ts";
import { untilAskedToEnd } from "../start/until-asked-to-end.ts";
import type { InstallationFlags } from "./with-database.ts";

/** The system of the sandboxes of an installation. */
export interface System {
  /** Name of the recipe, which changes with each package in it, such as `trixie-0123456789abcdef`. */
  name: string;
  directory: string;
  /** Where it is; null if it is not built. */
  path: string | null;
  /** Versions by package, without those that only other packages need; empty if it is not built. */
  packages: Record<string, string>;
}

/** Returns the system that the sandboxes of this installation have, or will have. */
export async function showSystem(flags: InstallationFlags): Promise<System> {
  return await withSettings(flags, async (config) => await describe(config));
}

/** Builds the system unless it is there, and returns it. @throws OperatorError with the reason. */
export async function buildSystem(flags: InstallationFlags): Promise<System> {
  return await onSystem(flags, async (config, signal) => {
    const directory = systemDirectory(config);
    const missing = (await missingForMounting(directory)) ?? missingForBuilding();
    if (missing !== null)
      throw new SandboxError(`this machine cannot build systems of sandboxes: ${missing}`);
    const { debianMirror, npmRegistry } = config;
    await buildRootFilesystem(directory, DEBIAN_RECIPE, signal, { debianMirror, npmRegistry });
  });
}

/** Packs the system into a new file for other machines. @throws OperatorError with the reason. */
export async function exportSystem(flags: InstallationFlags, file: string): Promise<System> {
  return await onSystem(flags, async (config, signal) => {
    const { path, name } = await describe(config);
    if (path === null) throw new SandboxError(`the system ${name} is not built; run berth system build`);
    await exportRootFilesystem(path, resolve(file), signal);
  });
}

/** Unpacks the system from a file of `exportSystem`. @throws OperatorError with the reason. */
export async function importSystem(flags: InstallationFlags, file: string): Promise<System> {
  return await onSystem(flags, async (config, signal) => {
    if (process.getuid?.() !== 0) throw new SandboxError("only root can import a system of sandboxes");
    await importRootFilesystem(systemDirectory(config), DEBIAN_RECIPE, resolve(file), signal);
  });
}

async function onSystem(
  flags: InstallationFlags,
  work: (config: Config, signal: AbortSignal) => Promise<void>,
): Promise<System> {
  return await withSettings(flags, async (config) => {
    await untilAskedToEnd((signal) => work(config, signal)).catch((error: unknown) => {
      if (!(error instanceof SandboxError)) throw error;
      const { message } = error;
      throw new OperatorError(`${message.charAt(0).toUpperCase()}${message.slice(1)}.`);
    });
    return await describe(config);
  });
}

async function describe(config: Config): Promise<System> {
  const directory = systemDirectory(config);
  const path = builtRootFilesystem(directory);
  const packages = path === null ? {} : await readPackages(path, DEBIAN_RECIPE);
  return { name: recipeKey(DEBIAN_RECIPE), directory, path, packages };
}
