import type { Environment } from "@berth/contract";
import { errors } from "@berth/store/errors";
import type { RuntimeCatalogue } from "@berth/store/runtimes";

type Resources = Environment["resources"];

/** Maximum resources that an environment may ask for on this installation. */
export type Ceilings = Readonly<Record<keyof Resources, number>>;

/** Rules of an installation for its environments. */
export interface EnvironmentRules {
  /** Whether the sandbox engine runs images. */
  runsImages: boolean;
  /** Runtime classes that environments may choose. Null when the sandboxes are not pods. */
  runtimeClasses: readonly string[] | null;
  ceilings: Ceilings;
  /** Processes of an environment that sets no number, within the ceiling. */
  usualPids: number;
  maxKeepAliveSeconds: number;
  /** The versions of runtimes. Null where sandboxes cannot have them. */
  runtimes: Pick<RuntimeCatalogue, "resolve"> | null;
}

/** The fields of a request that rules apply to. */
interface Given {
  image?: string | null | undefined;
  runtime_class?: string | null | undefined;
  keep_alive_seconds?: number | null | undefined;
  config?: { runtimes?: "auto" | object | null | undefined } | null | undefined;
  resources?: Partial<Record<keyof Resources, number | null | undefined>> | null | undefined;
}

/**
 * Checks the fields of a request against the rules. Stored environments may break rules that were set later.
 *
 * @throws errors.noImages, errors.noRuntimeClasses, errors.noRuntimes, errors.otherRuntimeClass,
 * errors.aboveCeiling
 */
export function requireAllowed(
  given: Given,
  { runsImages, runtimeClasses, ceilings, maxKeepAliveSeconds, runtimes }: EnvironmentRules,
): void {
  if (given.image && !runsImages) throw errors.noImages();
  if (runtimes === null && asksRuntimes(given.config?.runtimes)) throw errors.noRuntimes();
  if (given.runtime_class) requireRuntimeClass(given.runtime_class, runtimeClasses);
  for (const name of Object.keys(ceilings) as Array<keyof Resources>) {
    const value = given.resources?.[name];
    if (value != null && value > ceilings[name])
      throw errors.aboveCeiling(`resources.${name}`, ceilings[name]);
  }
  if ((given.keep_alive_seconds ?? 0) > maxKeepAliveSeconds)
    throw errors.aboveCeiling("keep_alive_seconds", maxKeepAliveSeconds);
}

function asksRuntimes(given: "auto" | object | null | undefined): boolean {
  return given === "auto" || Object.values(given ?? {}).some((version) => version != null);
}

function requireRuntimeClass(name: string, allowed: readonly string[] | null): void {
  if (allowed === null) throw errors.noRuntimeClasses();
  if (!allowed.includes(name)) throw errors.otherRuntimeClass(name, allowed);
}
