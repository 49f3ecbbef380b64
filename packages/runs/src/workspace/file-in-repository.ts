import { excludePath, includePath, type Sandbox } from "@berth/sandbox";
import type { PlacementFault } from "../inputs/placement.ts";

type Clone = { mountPath: string };

/** Makes git ignore a file before it is put into a clone. Returns why it must not be put there, or null. */
export async function excludeFile(
  sandbox: Sandbox,
  { mountPath }: Clone,
  target: string,
): Promise<PlacementFault | null> {
  const result = await excludePath(sandbox, { clone: mountPath, path: target.slice(mountPath.length + 1) });
  if (result === "excluded") return null;
  if (result === "failed") return notPlaceable(target);
  return { type: "sandbox_error", message: `The repository already has a file or directory at ${target}.` };
}

/** Undoes `excludeFile`, after the file was removed. */
export async function includeFile(sandbox: Sandbox, { mountPath }: Clone, target: string): Promise<void> {
  await includePath(sandbox, { clone: mountPath, path: target.slice(mountPath.length + 1) });
}

/** Returns the fault of a path at which no file can be placed. */
export function notPlaceable(target: string): PlacementFault {
  return { type: "sandbox_error", message: `No file can be put at ${target}.` };
}
