import { newUuid } from "@berth/contract";
import type { Disks, SandboxShape, WarmSandboxes } from "@berth/sandbox";

import type { Database } from "@berth/store/db";
import { addDisk, holdPool, leavePool, markReady } from "../src/disks/pool/pool-store.ts";

export const PLAIN: SandboxShape = {
  limits: { memoryBytes: 1, pids: 1, cpus: 1, diskBytes: null },
  image: null,
  runtimeClass: null,
  writable: [],
  hasTunnel: false,
};

/** Returns a shape that differs by its image, which is also its key. */
export function shapeOf(image: string): SandboxShape {
  return { ...PLAIN, image };
}

/** An engine's disks and warm sandboxes in memory. It stands for a cluster that all runners see. */
export class MadeSandboxes implements WarmSandboxes, Disks {
  readonly place = "kubernetes:here";
  /** Whether the sandbox can be used, by disk. */
  readonly made = new Map<string, boolean>();
  /** Called before each sandbox is made; rejects where it cannot be made. */
  making: (disk: { name: string; uid: number }, shape: SandboxShape) => Promise<void> = async () => {};

  shapeOf(): SandboxShape {
    return PLAIN;
  }

  keyOf({ image }: SandboxShape): string | null {
    return image === "unknown" ? null : (image ?? "plain");
  }

  async make(disk: { name: string; uid: number }, shape: SandboxShape): Promise<void> {
    await this.making(disk, shape);
    this.made.set(disk.name, true);
  }

  async untaken(): Promise<{ disk: string; serves: boolean }[]> {
    return [...this.made].map(([disk, serves]) => ({ disk, serves }));
  }

  async list(): Promise<string[]> {
    return [...this.made.keys()];
  }

  async has(disk: string): Promise<boolean> {
    return this.made.has(disk);
  }

  async takeAway(disk: string): Promise<null> {
    this.made.delete(disk);
    return null;
  }
}

/** Adds a ready disk of the shape `PLAIN` to the pool. */
export async function addReady(
  { write }: Pick<Database, "write">,
  made: MadeSandboxes,
): Promise<{ name: string; uid: number }> {
  const keeper = { place: made.place, keeper: newUuid() };
  await holdPool(write, keeper, 60_000);
  const disk = await addDisk(write, keeper, "plain");
  if (disk === null) throw new Error("Another keeps the pool.");
  await made.make(disk, PLAIN);
  await markReady(write, disk.name);
  await leavePool(write, keeper);
  return disk;
}
