import { z } from "zod";

/** Features that a request has to ask for by its header, each with the identifier that does. */
export const BETA_FEATURES = {
  outcomes: "outcomes-2026-11-20",
  threads: "threads-2026-11-20",
} as const;
export type BetaFeature = keyof typeof BETA_FEATURES;

/** The header that names what a request asks for: identifiers with commas between. */
export const BETA_HEADER = "berth-beta";

/** The features that a header's value activates. What nobody knows, or no longer knows, activates nothing. */
export function parseBetaHeader(header: string): ReadonlySet<BetaFeature> {
  const named = new Set(header.split(",").map((identifier) => identifier.trim()));
  const known = Object.entries(BETA_FEATURES) as [BetaFeature, string][];
  return new Set(known.flatMap(([feature, identifier]) => (named.has(identifier) ? [feature] : [])));
}

let activated: ReadonlySet<BetaFeature> = new Set();

/** Runs a parse, which does not wait for anything, with these features activated. */
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
 * Marks one kind, of those that `discriminator` tells apart in a schema, as part of a feature: unless that is activated, it
 * is refused with the feature in the issue, whatever its other fields.
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
