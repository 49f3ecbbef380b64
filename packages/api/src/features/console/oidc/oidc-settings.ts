/** What a user is in which organization. */
export interface Membership {
  /** Its name. */
  organization: string;
  role: "member" | "admin";
}

/** The operator's identity provider (OpenID Connect). */
export interface OidcSettings {
  issuer: string;
  clientId: string;
  /** The file of the client's secret; null: the client has none. */
  clientSecretFile: string | null;
  /** What the provider is asked for. */
  scopes: readonly string[];
  /** The claim that decides about organization and role; a dot leads into an object. */
  claim: string;
  /** By values of the claim. The first one that a user has counts; who has none cannot sign in. */
  mapping: readonly (Membership & { value: string })[];
}
