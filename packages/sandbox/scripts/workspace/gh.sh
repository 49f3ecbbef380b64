#!/bin/sh
# Runs gh with the token of the repository that the call is about. That repository is named by a URL among the arguments, by -R or --repo,
# by the arguments of `gh repo` and `gh api`, by GH_REPO, or by a remote of the working directory, in the order in which gh itself decides.
# For a repository that is not the session's, the token is that of the first of the session's repositories with the same owner, or else of
# the first at the same host. A call that is about no repository gets the first token for its host (GH_HOST). A token in the environment
# that is not one of the session's is left as it is.
# In a clone whose host is not that of the session's first repository, GH_HOST is set to the clone's host, since gh ignores remotes at other
# hosts. In a clone whose host has a port, which gh does not read from remotes, gh is told the repository; see gh-port.sh.
#
# git logs in with its own helper (git-credential-berth.sh), which has the token of each repository. gh as git's helper would use one token
# for a whole host, so `gh auth setup-git` changes nothing here, and `gh auth git-credential` returns what that helper returns.
#
# BERTH_GH_TOKENS: two lines for each repository with a token: host/owner/name, token.
#
# gh would send GH_TOKEN to github.com even when it is the token of another host, and GH_ENTERPRISE_TOKEN to any other host. So each of the
# two is only set to a token of the host that the call goes to. For a host below ghe.com it depends on gh's version which one it sends, so
# both are set to that host's token. Tokens are never program arguments: awk reads them from its environment.

# Prints a line for each hint in the arguments: its kind (url, repo, api or host) and its text.
hints() {
  expects='' command='' subcommand='' words=0
  for argument; do
    if [ -n "$expects" ]; then
      case $expects in
        field) field "$argument" ;;
        text) ;;
        *) printf '%s %s\n' "$expects" "$argument" ;;
      esac
      expects=''
      continue
    fi
    case $argument in
      *'
'*) ;;
      -R | --repo) expects=repo ;;
      --repo=*) printf 'repo %s\n' "${argument#*=}" ;;
      -R=*) printf 'repo %s\n' "${argument#-R=}" ;;
      -R*) printf 'repo %s\n' "${argument#-R}" ;;
      --hostname) expects=host ;;
      --hostname=*) printf 'host %s\n' "${argument#*=}" ;;
      -f | -F | --field | --raw-field)
        if [ "$command" = api ]; then expects=field; elif [ "$argument" = -F ]; then expects=text; fi
        ;;
      -b | --body | -t | --title | --body-file | --notes | --comment | --subject | -q | --jq | --template | --description) expects=text ;;
      -*) ;;
      *)
        words=$((words + 1))
        case $words in 1) command=$argument ;; 2) subcommand=$argument ;; esac
        case $command:$subcommand:$words:$argument in
          *:*:*:http://* | *:*:*:https://*) printf 'url %s\n' "$argument" ;;
          api:*:2:*["{:"]owner*) ;;
          api:*:2:repos/*/* | api:*:2:/repos/*/*) printf 'api %s\n' "${argument#*repos/}" ;;
          repo:create:*) ;;
          repo:*:3:*/*) printf 'url %s\n' "$argument" ;;
        esac
        ;;
    esac
  done
}

# Handles a field of `gh api graphql` that names a repository: owner and name, or a query with both.
field() {
  case $1 in
    owner=[!"{"]*) owner=${1#*=} ;;
    name=[!"{"]* | repo=[!"{"]*) if [ -n "${owner-}" ]; then printf 'api %s/%s\n' "$owner" "${1#*=}"; fi ;;
    query=*)
      printf '%s' "${1#*=}" | tr '\n' ' ' |
        sed -n 's/.*repository *( *owner *: *"\([^"]*\)" *,* *name *: *"\([^"]*\)".*/api \1\/\2\n/p'
      ;;
  esac
}

# Reads hints, and git's configuration of remotes. Prints the host that the call goes to, its token, the token of github.com, and, if the
# working directory names the repository and its host has a port, the repository and the name of its remote.
choose() {
  awk '
    function at_github(host) { return host == "github.com" || host ~ /[.]ghe[.]com$/ }
    # Returns a repository in any form as host/owner/name; empty for anything else.
    function normal(text,   part, count, ssh) {
      text = tolower(text)
      sub(/[?#].*/, "", text)
      if (text ~ /^[a-z+]+:\/\//) {
        ssh = text !~ /^http/
        sub(/^[a-z+]+:\/\//, "", text)
        if (ssh) sub(/:[0-9]+\//, "/", text)
      } else if (text ~ /^[^\/]+@[^\/]+:/) sub(/:\/*/, "/", text)
      else if (split(text, part, "/") == 2) text = home "/" text
      sub(/^[^\/]*@/, "", text)
      sub(/^(www|ssh)[.]github[.]com\//, "github.com/", text)
      count = split(text, part, "/")
      sub(/[.]git$/, "", part[3])
      return count < 3 || part[2] == "" || part[3] == "" ? "" : part[1] "/" part[2] "/" part[3]
    }
    function host_of(name) { sub(/\/.*/, "", name); return name }
    function owner_of(name) { sub(/\/[^\/]*$/, "", name); return name }
    function consider(text) { text = normal(text); if (text != "") meant[++count] = text }
    # Returns the first token whose repository is the one that the call is about, or has its owner, or is at its host.
    function token(   k, i) {
      for (k = 1; k <= 3; k++) for (i = 1; i <= count; i++) for (n = 1; n <= known; n++)
        if ((k == 1 && repository[n] == meant[i]) || (k == 2 && owner_of(repository[n]) == owner_of(meant[i])) ||
          (k == 3 && host_of(repository[n]) == host_of(meant[i]))) { host = host_of(meant[i]); return secret[n] }
      return ""
    }
    function first_at(host,   n) { for (n = 1; n <= known; n++) if (host_of(repository[n]) == host) return secret[n]; return "" }
    BEGIN {
      lines = split(ENVIRON["BERTH_GH_TOKENS"], line, "\n")
      for (n = 1; n < lines; n += 2) { repository[++known] = tolower(line[n]); secret[known] = line[n + 1] }
      given = tolower(ENVIRON["GH_HOST"])
      home = given == "" ? "github.com" : given
      chosen_by_agent = given != "" && given != host_of(repository[1])
    }
    $1 == "host" { home = tolower($2); explicit = 1 }
    $1 == "url" || $1 == "repo" || $1 == "api" || $1 == "environment" { hint[$1] = hint[$1] == "" ? $2 : hint[$1] }
    $1 ~ /^remote[.].*[.]url$/ { name = $1; sub(/^remote[.]/, "", name); sub(/[.]url$/, "", name); remote[++remotes] = name; url[remotes] = $2 }
    $1 ~ /^remote[.].*[.]gh-resolved$/ {
      name = $1; sub(/^remote[.]/, "", name); sub(/[.]gh-resolved$/, "", name)
      if ($2 == "base") base = name; else resolved = $2
    }
    END {
      if (hint["url"] != "") consider(hint["url"])
      else if (hint["repo"] != "") consider(hint["repo"])
      else if (hint["api"] != "") consider(home "/" hint["api"])
      else if (hint["environment"] != "") consider(hint["environment"])
      else if (!explicit) {
        if (resolved != "") consider(resolved)
        for (rank = 1; rank <= 5; rank++) for (r = 1; r <= remotes; r++) {
          own = remote[r] == base ? 1 : remote[r] == "upstream" ? 2 : remote[r] == "github" ? 3 : remote[r] == "origin" ? 4 : 5
          at = host_of(normal(url[r]))
          # gh ignores remotes at hosts that it does not know.
          if (own == rank && (at == home || (!chosen_by_agent && first_at(at) != ""))) {
            consider(url[r])
            if (count == 1 && remote_meant == "") remote_meant = r
          }
        }
        moved = count > 0
      }
      host = count == 0 ? home : host_of(meant[1])
      chosen = count == 0 ? first_at(home) : token()
      if (at_github(host)) hub = chosen
      else for (n = 1; n <= known && hub == ""; n++) if (host_of(repository[n]) == "github.com") hub = secret[n]
      print (moved && chosen != "" && host != home ? host : given); print host; print chosen; print hub
      in_clone = moved && chosen != "" && host ~ /:[0-9]+$/
      print in_clone ? meant[1] : ""; print in_clone ? remote[remote_meant] : ""
    }'
}

# Succeeds if a token is one of the session's.
ours() {
  case "
${BERTH_GH_TOKENS}
" in *"
$1
"*) [ -n "$1" ] ;; *) return 1 ;; esac
}

# Moves the first line of $rest to $line.
next_line() {
  line=${rest%%"$newline"*}
  rest=${rest#*"$newline"}
}

select_tokens() {
  newline='
'
  rest=$({
    hints "$@"
    if [ -n "${GH_REPO-}" ]; then printf 'environment %s\n' "$GH_REPO"; fi
    git config --get-regexp '^remote\..*\.(url|gh-resolved)$' 2>/dev/null
  } | choose; echo .)
  next_line && if [ -n "$line" ]; then export GH_HOST="$line"; fi
  next_line && host=$line
  next_line && token=$line
  next_line && hub=$line
  next_line && repository=$line
  # shellcheck disable=SC2034 # read by gh-port.sh
  next_line && remote=$line
  if [ -n "$repository" ]; then export GH_REPO="$repository"; fi
  if ours "${GH_TOKEN:-${GITHUB_TOKEN-}}"; then
    unset GH_TOKEN GITHUB_TOKEN
    if [ -n "$hub" ]; then export GH_TOKEN="$hub"; fi
  fi
  if [ "$host" = github.com ]; then return; fi
  if ours "${GH_ENTERPRISE_TOKEN:-${GITHUB_ENTERPRISE_TOKEN-}}"; then
    unset GH_ENTERPRISE_TOKEN GITHUB_ENTERPRISE_TOKEN
    if [ -n "$token" ]; then export GH_ENTERPRISE_TOKEN="$token"; fi
  fi
}
