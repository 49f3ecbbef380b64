import { blobDirectory, type DefaultLimits, type LimitValues, limitsOver } from "@berth/store/names";
import { volumeBytes } from "./ceilings.ts";
import type { Config } from "./config.ts";

export type LimitSettings = Pick<Config, "organizationLimits" | "userLimits" | "dataDir" | "blobs"> &
  Partial<Pick<Config, "role" | "sandbox">>;

/**
 * Default maximum shares of an organization, and of one of its users, in shared resources. Ordinary teams do
 * not reach these; see decision 0046.
 */
export const STANDING_LIMITS = {
  organization: {
    requests_per_second: 1_000,
    request_burst: 10_000,
    open_sessions: 50_000,
    file_bytes: 1_000_000_000_000,
    disk_bytes: 1_000_000_000_000,
  },
  user: {
    requests_per_second: 300,
    request_burst: 3_000,
    open_sessions: 20_000,
    file_bytes: 500_000_000_000,
    disk_bytes: 500_000_000_000,
  },
} satisfies DefaultLimits;

/** Default share of a volume of this machine for one owner, since several fill it. */
const SHARE_OF_VOLUME = 1 / 3;

/**
 * Returns the limits that apply where an owner has none of its own: those of the settings, completed by the
 * standing limits.
 * @param volume Returns the size in bytes of the volume of a directory.
 */
export function defaultLimits(
  settings: LimitSettings,
  volume: (directory: string) => number = volumeBytes,
): DefaultLimits {
  const room = roomOnVolumes(settings, volume);
  const { organizationLimits, userLimits } = settings;
  return {
    organization: limitsOver(organizationLimits, atMost(STANDING_LIMITS.organization, room)),
    user: limitsOver(userLimits, atMost(STANDING_LIMITS.user, room)),
  };
}

/** Returns each owner's share of the volumes, infinite for data that is not on this machine's volumes. */
function roomOnVolumes(
  { dataDir, blobs, role, sandbox }: LimitSettings,
  volume: (directory: string) => number,
): { file_bytes: number; disk_bytes: number } {
  const share = (directory: string) => Math.floor(volume(directory) * SHARE_OF_VOLUME);
  const contents = blobDirectory({ dataDir, blobs });
  const hasDisks = role !== "api" && sandbox !== "kubernetes";
  return {
    file_bytes: contents === null ? Number.POSITIVE_INFINITY : share(contents),
    disk_bytes: hasDisks ? share(dataDir) : Number.POSITIVE_INFINITY,
  };
}

function atMost(
  standing: typeof STANDING_LIMITS.user,
  room: { file_bytes: number; disk_bytes: number },
): LimitValues {
  return {
    ...standing,
    file_bytes: Math.min(standing.file_bytes, room.file_bytes),
    disk_bytes: Math.min(standing.disk_bytes, room.disk_bytes),
  };
}
