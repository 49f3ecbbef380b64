export { sweepDisks } from "./disks/sweep-disks.ts";
export { removeTrash } from "./disks/trash.ts";
