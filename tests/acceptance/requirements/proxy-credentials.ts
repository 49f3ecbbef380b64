import type { Requirement } from "./requirement.ts";

export const proxyCredentialRequirements: readonly Requirement[] = [
  {
    id: "environment-credentials",
    source: "api 4",
    rule: "An environment says where secrets of repositories are: credentials 'inject', the default, or 'proxy'; anything else is 400. Sessions follow a change with their next command.",
  },
  {
    id: "proxy-credentials",
    source: "api 4",
    rule: "With 'proxy' no token or password of a repository is anywhere in the container, while git and the provider's command line work: requests to the repository and its provider's API carry it, and requests to any other host do not, also after a redirect.",
  },
  {
    id: "proxy-credential-rotation",
    source: "api 4",
    rule: "A token that is rotated is what the next request carries, also of a command that began before; its placeholder stays the same.",
  },
  {
    id: "vault-variables",
    source: "api 4",
    rule: "A vault's environment_variable is a placeholder in the container, whatever the environment says of credentials; the value is put into requests to its allowed hosts alone, which the session's networking has to allow as well; once archived it is put into none.",
  },
  {
    id: "placeholders-told",
    source: "api 4",
    rule: "Where variables of a session hold placeholders, the model is told which, for which hosts, and that they work nowhere else, in the same words for as long as the session lives, whatever comes to its vaults or is archived; where none does, nothing is said of them.",
  },
  {
    id: "vault-variable-order",
    source: "api 4",
    rule: "Of variables of one name the repositories' hold over the vaults', those over the session's, and those over the environment's; of two vaults the first holds.",
  },
];
