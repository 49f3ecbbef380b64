export { AccountIdentities } from "./credentials/account-identities.ts";
export { providerOf, type RepositoryProviders } from "./credentials/repository-targets.ts";
export { RepositoryTokens, type TokenDeps } from "./credentials/repository-tokens.ts";
export { revokeTokens } from "./credentials/revoke-tokens.ts";
