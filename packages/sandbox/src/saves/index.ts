export {
  diskPlaces,
  isOnDisk,
  PackError,
  type PackOutcome,
  type PackPlan,
  packDisk,
} from "./pack-disk.ts";
export { type UnpackOutcome, unpackDisk } from "./unpack-disk.ts";
