import { credentialHelper, credentialHelperName } from "./credential-helper.ts";

/**
 * The provider's CLI, told of fewer tokens. `gh` would send `GH_TOKEN` to github.com, also where it is the token of another
 * host, and calls itself logged out when github.com refuses it.
 */
const gh = `#!/bin/sh
case \${GH_HOST:-github.com} in
  github.com | *.ghe.com) ;;
  *)
    [ "\${GH_TOKEN-}" = "\${GH_ENTERPRISE_TOKEN-}" ] && unset GH_TOKEN
    [ "\${GITHUB_TOKEN-}" = "\${GH_ENTERPRISE_TOKEN-}" ] && unset GITHUB_TOKEN
    ;;
esac
for real in /usr/local/bin/gh /usr/bin/gh; do
  [ -x "$real" ] && exec "$real" "$@"
done
echo "gh: not found" >&2
exit 127
`;

/** Programs that have to be first on the PATH inside, name to text. */
export const workspacePrograms: Readonly<Record<string, string>> = {
  [credentialHelperName]: credentialHelper,
  gh,
};
