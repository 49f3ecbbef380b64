import { readdirSync, readFileSync } from "node:fs";
import { until } from "./until.ts";

/** Returns the loop devices whose file is, or was, below this directory of the host. */
export function loopDevices(directory: string): string[] {
  return readdirSync("/sys/block")
    .filter((name) => /^loop\d+$/.test(name) && backingFile(name).startsWith(`${directory}/`))
    .map((name) => `/dev/${name}`);
}

/** Waits until the kernel has released all of them, for half a minute at most. */
export async function released(directory: string): Promise<void> {
  await until(
    () => loopDevices(directory).length === 0,
    () => `${loopDevices(directory)} is left`,
  );
}

function backingFile(name: string): string {
  try {
    return readFileSync(`/sys/block/${name}/loop/backing_file`, "utf8");
  } catch {
    return "";
  }
}
