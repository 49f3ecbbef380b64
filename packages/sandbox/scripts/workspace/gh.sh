#!/bin/sh
# Runs gh with fewer tokens. gh sends GH_TOKEN to github.com even when it is the token of another host (GH_HOST), and reports
# itself as logged out when github.com rejects it.
case ${GH_HOST:-github.com} in
  github.com | *.ghe.com) ;;
  *)
    [ "${GH_TOKEN-}" = "${GH_ENTERPRISE_TOKEN-}" ] && unset GH_TOKEN
    [ "${GITHUB_TOKEN-}" = "${GH_ENTERPRISE_TOKEN-}" ] && unset GITHUB_TOKEN
    ;;
esac
for real in /usr/local/bin/gh /usr/bin/gh; do
  [ -x "$real" ] && exec "$real" "$@"
done
echo "gh: not found" >&2
exit 127
