# shellcheck shell=sh
# Functions that run gh with the token and host that gh.sh has chosen.
find_gh() {
  for real in /usr/local/bin/gh /usr/bin/gh; do
    if [ -x "$real" ]; then return; fi
  done
  echo "gh: not found" >&2
  exit 127
}
run() { exec "$real" "$@"; }

# gh as git's credential helper. Berth's helper has the tokens of the session's repositories. For other repositories gh uses what the agent
# logged in with. The session's own tokens are unset before, since gh would give GH_ENTERPRISE_TOKEN to any host.
answer_git() {
  asked=$(cat)
  answer=$(printf '%s\n\n' "$asked" | git-credential-berth "$3")
  if [ -n "$answer" ] || [ "$3" != get ]; then
    printf '%s' "${answer:+$answer
}"
    exit 0
  fi
  if ours "${GH_TOKEN:-${GITHUB_TOKEN-}}"; then unset GH_TOKEN GITHUB_TOKEN; fi
  if ours "${GH_ENTERPRISE_TOKEN:-${GITHUB_ENTERPRISE_TOKEN-}}"; then unset GH_ENTERPRISE_TOKEN GITHUB_ENTERPRISE_TOKEN; fi
  printf '%s\n\n' "$asked" | "$real" "$@"
  exit
}

repository=''
if [ -n "${BERTH_GH_TOKENS-}" ]; then select_tokens "$@"; fi
find_gh
if [ -n "${BERTH_GH_TOKENS-}" ]; then
  case "${1-} ${2-}" in
    'auth setup-git')
      if [ -n "$token" ]; then
        echo "git is logged in already, with the token of each of the session's repositories. Nothing was changed." >&2
        exit 0
      fi
      ;;
    'auth git-credential') answer_git "$@" ;;
  esac
fi
if [ -n "$repository" ]; then run_with_port "$@"; fi
run "$@"
