/** An organization and the user's role in it. */
export interface Membership {
  /** The organization's name. */
  organization: string;
  role: "member" | "admin";
}

/** The operator's identity provider (OpenID Connect). */
export interface OidcSettings {
  issuer: string;
  clientId: string;
  /** File with the client's secret; null when the client has none. */
  clientSecretFile: string | null;
  /** Scopes requested from the provider. */
  scopes: readonly string[];
  /** Claim that decides on organization and role. A dot leads into an object. */
  claim: string;
  /** Mapping from values of the claim; the first match counts. A user without a match cannot sign in. */
  mapping: readonly (Membership & { value: string })[];
}
