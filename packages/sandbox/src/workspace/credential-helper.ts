/** Holds the credentials of a session's repositories, three lines each: url, user name, secret. */
export const credentialVariable = "BERTH_GIT_CREDENTIALS";

/** Name of the helper among the programs inside. */
export const credentialHelperName = "git-credential-berth";

/**
 * git's credential helper inside. It answers for exactly the urls of the session's repositories (protocol, host and path)
 * from the variables of the command that runs, and keeps nothing, so that a rotated token is seen at once and a redirected or
 * neighbouring host gets none. No secret is in an argument: `printf` is the shell's own.
 */
export const credentialHelper = `#!/bin/sh
[ "\${1-}" = get ] || exit 0
protocol= host= path=
while IFS= read -r line && [ -n "$line" ]; do
  case $line in
    protocol=*) protocol=\${line#*=} ;;
    host=*) host=\${line#*=} ;;
    path=*) path=\${line#*=} ;;
  esac
done
path=\${path%/}
path=\${path%.git}
printf '%s\\n' "\${${credentialVariable}-}" |
while IFS= read -r url && IFS= read -r username && IFS= read -r secret; do
  [ "$url" = "$protocol://$host/$path" ] || continue
  printf 'username=%s\\npassword=%s\\n' "$username" "$secret"
  break
done
`;

/** Lines of git's system configuration inside. */
export const credentialConfig = `[credential]
\thelper = /opt/berth/bin/${credentialHelperName}
\tuseHttpPath = true
`;
