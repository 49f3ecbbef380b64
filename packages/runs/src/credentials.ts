export { AccountIdentities } from "./credentials/account-identities.ts";
export { providerOf, type RepositoryProviders } from "./credentials/repository-targets.ts";
