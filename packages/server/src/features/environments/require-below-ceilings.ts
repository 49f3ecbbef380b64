import type { Environment } from "@berth/contract";
import { errors } from "../../errors/catalogue.ts";

type Resources = Environment["resources"];

/** The most that an environment can ask for on this installation. */
export type Ceilings = Readonly<Record<keyof Resources, number>>;

/** What an installation allows its environments. */
export interface EnvironmentRules {
  /** Whether the sandbox engine runs images. */
  runsImages: boolean;
  ceilings: Ceilings;
}

/** @throws errors.aboveCeiling when a given limit is above the operator's ceiling. What was stored before may be. */
export function requireBelowCeilings(
  given: Partial<Record<keyof Resources, number | null | undefined>> | null | undefined,
  ceilings: Ceilings,
): void {
  for (const name of Object.keys(ceilings) as Array<keyof Resources>) {
    const value = given?.[name];
    if (value != null && value > ceilings[name])
      throw errors.aboveCeiling(`resources.${name}`, ceilings[name]);
  }
}
