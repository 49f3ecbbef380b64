import type { Requirement } from "./requirement.ts";

export const proxyCredentialRequirements: readonly Requirement[] = [
  {
    id: "environment-credentials",
    source: "api 4",
    rule: "An environment's credentials setting is 'inject', the default, or 'proxy'; another value is rejected with 400. Sessions follow a change from their next command on.",
  },
  {
    id: "proxy-credentials",
    source: "api 4",
    rule: "With 'proxy' no token or password of a repository is anywhere in the container, while git and the provider's CLI work: requests to the repository, and with a hosted repository's token those to its provider's host and API, carry the credential, and requests to any other host do not, also after a redirect.",
  },
  {
    id: "other-repositories",
    source: "api 4",
    rule: "git reaches another repository of a provider's host, also by a URL for ssh, with the token of a hosted repository of the same owner, or else of the first one at the host, whether tokens are in the container or outside; submodules are fetched in this way. The password of a git_repository is for that repository alone.",
  },
  {
    id: "proxy-credential-rotation",
    source: "api 4",
    rule: "The next request carries a rotated token, also when its command started before the rotation; the placeholder does not change.",
  },
  {
    id: "vault-variables",
    source: "api 4",
    rule: "A vault's environment_variable is a placeholder in the container, whatever the environment's credentials setting; its value is inserted only into requests to its allowed hosts, which the session's networking must allow too; an archived one is inserted into none.",
  },
  {
    id: "placeholders-told",
    source: "api 4",
    rule: "When variables of a session hold placeholders, the prompt names them and their hosts and says that they work nowhere else, in the same words for the life of the session, whatever its vaults gain or lose; without placeholders the prompt does not mention them.",
  },
  {
    id: "vault-variable-order",
    source: "api 4",
    rule: "For variables of one name, repositories take precedence over vaults, vaults over the session, and the session over the environment; among vaults the first takes precedence.",
  },
];
