import { hardLimit, type LimitTitle } from "@berth/linux";

/** The number of no limit, for the kernel and for container engines. */
const NO_LIMIT = -1;

/** The limits that sandboxes get, by their names in the requests of container engines. */
const TITLES = {
  core: "Max core file size",
  data: "Max data size",
  nofile: "Max open files",
  nproc: "Max processes",
} as const satisfies Record<string, LimitTitle>;

export type LimitName = keyof typeof TITLES;

export interface ResourceLimit {
  soft: number;
  hard: number;
}

/**
 * Returns a resource limit for a sandbox: the wanted one, or this process's own hard limit if that is lower.
 * More would need CAP_SYS_RESOURCE, which a service in a hardened unit or in a container lacks, and whoever
 * lowers a limit of the service lowers it for its sandboxes.
 *
 * @param hard `Infinity` for no limit. @param soft Default: the same.
 * @returns numbers for the kernel and for container engines, in which -1 is no limit.
 */
export function resourceLimit(
  name: LimitName,
  hard: number,
  soft: number = hard,
  ownHardLimit: typeof hardLimit = hardLimit,
): ResourceLimit {
  const most = Math.min(hard, ownHardLimit(TITLES[name]));
  const number = (value: number) => (Number.isFinite(value) ? value : NO_LIMIT);
  return { soft: number(Math.min(soft, most)), hard: number(most) };
}
