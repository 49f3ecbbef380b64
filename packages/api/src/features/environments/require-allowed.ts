import type { Environment } from "@berth/contract";
import { errors } from "@berth/store/errors";

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
}

/** The fields of a request that rules apply to. */
interface Given {
  image?: string | null | undefined;
  runtime_class?: string | null | undefined;
  resources?: Partial<Record<keyof Resources, number | null | undefined>> | null | undefined;
}

/**
 * Checks the fields of a request against the rules. Stored environments may break rules that were set later.
 *
 * @throws errors.noImages, errors.noRuntimeClasses, errors.otherRuntimeClass, errors.aboveCeiling
 */
export function requireAllowed(
  given: Given,
  { runsImages, runtimeClasses, ceilings }: EnvironmentRules,
): void {
  if (given.image && !runsImages) throw errors.noImages();
  if (given.runtime_class) requireRuntimeClass(given.runtime_class, runtimeClasses);
  for (const name of Object.keys(ceilings) as Array<keyof Resources>) {
    const value = given.resources?.[name];
    if (value != null && value > ceilings[name])
      throw errors.aboveCeiling(`resources.${name}`, ceilings[name]);
  }
}

function requireRuntimeClass(name: string, allowed: readonly string[] | null): void {
  if (allowed === null) throw errors.noRuntimeClasses();
  if (!allowed.includes(name)) throw errors.otherRuntimeClass(name, allowed);
}
