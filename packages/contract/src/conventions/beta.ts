import { z } from "zod";

/** Identifiers of the features that a request must activate by a header. */
export const BETA_FEATURES = {
  outcomes: "outcomes-2026-11-20",
  threads: "threads-2026-11-20",
} as const;
export type BetaFeature = keyof typeof BETA_FEATURES;

/** The header that activates features: a comma-separated list of identifiers. */
export const BETA_HEADER = "berth-beta";

/** Returns the features that a header's value activates. Unknown and retired identifiers are ignored. */
export function parseBetaHeader(header: string): ReadonlySet<BetaFeature> {
  const named = new Set(header.split(",").map((identifier) => identifier.trim()));
  const known = Object.entries(BETA_FEATURES) as [BetaFeature, string][];
  return new Set(known.flatMap(([feature, identifier]) => (named.has(identifier) ? [feature] : [])));
}

let activated: ReadonlySet<BetaFeature> = new Set();

/** Runs `parse`, which must be synchronous, with these features activated. */
export function withFeatures<T>(features: ReadonlySet<BetaFeature>, parse: () => T): T {
  const before = activated;
  activated = features;
  try {
    return parse();
  } finally {
    activated = before;
  }
}

/**
 * Marks one variant of a union as part of a beta feature. Unless the feature is activated, the variant is
 * rejected with the feature in the issue, whatever its other fields are.
 */
export function betaVariant<S extends z.ZodType>(
  feature: BetaFeature,
  discriminator: string,
  kind: string,
  schema: S,
): S {
  const guarded = z.preprocess((value, context) => {
    const given = (value as Record<string, unknown> | null | undefined)?.[discriminator];
    if (given === kind && !activated.has(feature)) {
      context.addIssue({
        code: "custom",
        path: [discriminator],
        params: { feature },
        message: `Field '{field}' needs '${BETA_FEATURES[feature]}' in the header '${BETA_HEADER}'.`,
      });
    }
    return value;
  }, schema);
  return guarded as unknown as S;
}
