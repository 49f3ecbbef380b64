# shellcheck shell=sh disable=SC2154 # $repository and $remote are set by gh.sh
# Functions for gh in a clone whose host has a port. gh reads the host of a remote without its port, so it finds no repository there.
# For most commands GH_REPO names the repository. The commands handled here need it in another way.
#
# run_with_port ARG…  runs gh with these arguments in such a clone. $repository: host:port/owner/name. $remote: the clone's remote for it.
run_with_port() {
  case "${1-} ${2-}" in
    'repo view' | 'repo edit' | 'repo fork' | 'repo archive' | 'repo sync')
      subcommand=$2
      shift 2
      run repo "$subcommand" "$repository" "$@"
      ;;
    'pr create' | 'pr new')
      case " $* " in
        *' --head'* | *' -H'* | *' --help '*) ;;
        *) set -- "$@" --head "$(git symbolic-ref -q --short HEAD)" ;;
      esac
      run "$@" -R "$repository"
      ;;
    'pr checkout') [ "$#" -eq 3 ] && checkout_pull_request "$3" ;;
  esac
  run "$@"
}

# gh pr checkout NUMBER|BRANCH: does what gh does with a remote that it recognizes.
checkout_pull_request() {
  found=$("$real" pr view "$1" --json number,headRefName,isCrossRepository \
    --jq '"\(.number) \(.isCrossRepository) \(.headRefName)"') || exit
  number=${found%% *} branch=${found#* * }
  case $found in
    *' true '*) git fetch -q "$remote" "refs/pull/$number/head:$branch" && exec git checkout "$branch" -- ;;
    *)
      git fetch -q "$remote" "+refs/heads/$branch:refs/remotes/$remote/$branch" || exit
      if ! git show-ref --verify -q "refs/heads/$branch"; then exec git checkout -b "$branch" --track "$remote/$branch" --; fi
      git checkout "$branch" -- && exec git merge --ff-only "$remote/$branch"
      ;;
  esac
  exit
}
