import { probeGroup } from "./probe.ts";

/**
 * Makes a working directory for the probe. `marker` is a file in it that a hostile program would create. git
 * does not prompt.
 */
const WORK = `command -v git >/dev/null || untried "git is missing"
export GIT_TERMINAL_PROMPT=0
place=$scratch/git-$tag-$$ marker=$scratch/git-$tag-$$/marker
mkdir -p "$place" && cd "$place" || untried "no place to work in"
trap 'rm -rf "$place"' EXIT
ran() { if [ -e "$marker" ]; then breach "a program of the repository's choice ran"; fi; }
`;

/** Returns a script that requests a credential from git's helpers, as git would for a URL. */
const requests = (protocol: string, host: string, path: string) => `${WORK}
if printf 'protocol=${protocol}\\nhost=%s\\npath=${path}\\n\\n' ${host} | git credential fill | mine secret; then breach "the helper gave the secret"; fi`;

/** Makes a bare repository nested in a hostile one, whose configuration names programs. */
const EMBEDDED = `mkdir -p tree/objects tree/refs && echo 'ref: refs/heads/main' >tree/HEAD
printf '[core]\\n\\trepositoryformatversion = 0\\n\\tbare = false\\n\\tworktree = ..\\n\\tfsmonitor = "touch %s; false"\\n\\tsshCommand = touch %s\\n\\tpager = touch %s\\n[diff]\\n\\texternal = touch %s\\n' "$marker" "$marker" "$marker" "$marker" >tree/config
`;

/** Starts a server that redirects git to another one, which records whether it receives credentials. */
const REDIRECT = `perl -MSocket -e '
$| = 1; my @s; for (0, 1) { my $s; socket($s, AF_INET, SOCK_STREAM, 0) && bind($s, pack_sockaddr_in(0, INADDR_LOOPBACK)) && listen($s, 8) or die; push @s, $s }
my @p = map { (unpack_sockaddr_in(getsockname $_))[0] } @s; open(P, ">", "ports.new"); print P "@p\\n"; close P; rename "ports.new", "ports"; alarm 5;
while (1) { my $r = ""; vec($r, fileno $_, 1) = 1 for @s; select($r, undef, undef, 5) > 0 or exit;
  for my $i (0, 1) { vec($r, fileno $s[$i], 1) or next; accept(my $c, $s[$i]); my $h = ""; while ($h !~ /\\r\\n\\r\\n/ && sysread($c, my $part, 4096)) { $h .= $part }
    my ($path) = $h =~ /^GET (\\S+)/;
    if ($i == 1 && $h =~ /^Authorization:/mi) { open(L, ">", "stolen"); close L }
    syswrite $c, $i == 0 ? "HTTP/1.1 302 Found\\r\\nLocation: http://localhost:$p[1]$path\\r\\nContent-Length: 0\\r\\nConnection: close\\r\\n\\r\\n" : "HTTP/1.1 401 No\\r\\nWWW-Authenticate: Basic realm=x\\r\\nContent-Length: 0\\r\\nConnection: close\\r\\n\\r\\n"; close $c } }' &
server=$!
trap 'kill "$server"; rm -rf "$place"' EXIT
tries=0; until [ -e ports ]; do tries=$((tries + 1)); [ "$tries" -lt 200 ] || untried "no server"; sleep 0.01; done
read -r first second <ports
`;

/** Fetches from the first server, with a secret for it. */
const redirected = `${WORK}${REDIRECT}
BERTH_GIT_CREDENTIALS="http://127.0.0.1:$first/org/repository
x-access-token
secret-$tag"
export BERTH_GIT_CREDENTIALS
git -c protocol.http.allow=always ls-remote "http://127.0.0.1:$first/org/repository"
if [ -e stolen ]; then breach "the other server was given credentials"; fi`;

/** Probes of hostile repositories and of the session's credentials. */
export const GIT_PROBES = probeGroup("git", [
  [
    "embedded_monitor",
    "makes git status run a program that a nested repository configures",
    "user",
    `${WORK}${EMBEDDED}cd tree; git status; ran`,
  ],
  [
    "embedded_diff",
    "makes git diff run a program that a nested repository configures",
    "user",
    `${WORK}${EMBEDDED}cd tree; git diff; git -p log; git fetch; ran`,
  ],
  [
    "transport_program",
    "clones from a program (ext::)",
    "user",
    `${WORK}git clone "ext::touch $marker" copy; ran`,
  ],
  [
    "transport_ssh",
    "clones by ssh",
    "user",
    `${WORK}GIT_SSH_COMMAND="touch $marker;" git clone ssh://host.invalid/repository copy; ran`,
  ],
  [
    "transport_plain",
    "clones by the git protocol, which is not encrypted",
    "user",
    `${WORK}GIT_PROXY_COMMAND="$place/proxy"; export GIT_PROXY_COMMAND; printf '#!/bin/sh\\ntouch %s\\n' "$marker" >proxy; chmod 755 proxy; git clone git://host.invalid/repository copy; ran`,
  ],
  [
    "submodule_program",
    "makes a clone fetch a submodule from a program",
    "user",
    `${WORK}git init -q hostile && cd hostile && git -c user.name=x -c user.email=x@x.invalid commit -q --allow-empty -m x && git update-index --add --cacheinfo "160000,$(git rev-parse HEAD),sub" && printf '[submodule "sub"]\\n\\tpath = sub\\n\\turl = ext::touch %s\\n' "$marker" >.gitmodules && git add .gitmodules && git -c user.name=x -c user.email=x@x.invalid commit -q -m x; cd ..; git clone -q hostile copy; git clone -q --recurse-submodules hostile other; ran`,
  ],
  [
    "hooks_cloned",
    "makes a clone run hooks of the cloned repository",
    { never: "git does not copy hooks; the probe detects a change of its configuration" },
    `${WORK}git init -q hostile && cd hostile && git -c user.name=x -c user.email=x@x.invalid commit -q --allow-empty -m x; for hook in post-checkout post-merge reference-transaction; do printf '#!/bin/sh\\ntouch %s\\n' "$marker" >.git/hooks/$hook; chmod 755 .git/hooks/$hook; done; cd ..; rm -f "$marker"; git clone -q --no-local hostile copy; git -C copy checkout -q HEAD; ran`,
  ],
  [
    "credential_other_host",
    "requests the secret for another host",
    "user",
    requests("https", "evil.invalid", "org/repository"),
  ],
  [
    "credential_other_repository",
    "requests the secret for another repository of the same host",
    "user",
    requests("https", "git.probe.invalid", "org/other"),
  ],
  [
    "credential_longer_path",
    "requests the secret for a path that begins like the repository's",
    "user",
    requests("https", "git.probe.invalid", "org/repository-of-others"),
  ],
  [
    "credential_parent_path",
    "requests the secret for a path with '..'",
    "user",
    requests("https", "git.probe.invalid", "org/repository/../other"),
  ],
  [
    "credential_plain",
    "requests the secret for http",
    "user",
    requests("http", "git.probe.invalid", "org/repository"),
  ],
  [
    "credential_port",
    "requests the secret for another port of the host",
    "user",
    requests("https", "git.probe.invalid:8443", "org/repository"),
  ],
  [
    "credential_lookalike",
    "requests the secret for a host whose name begins or ends like the repository's",
    "user",
    `${requests("https", "git.probe.invalid.evil.invalid", "org/repository")}
${requests("https", "evil-git.probe.invalid", "org/repository")}`,
  ],
  [
    "credential_user",
    "requests the secret for a URL with the host as its user name",
    "user",
    `${requests("https", "git.probe.invalid@evil.invalid", "org/repository")}
if printf 'url=https://git.probe.invalid@evil.invalid/org/repository\\n\\n' | git credential fill | mine secret; then breach "the helper gave the secret"; fi`,
  ],
  [
    "credential_line_break",
    "requests the secret for a URL with a line break",
    "user",
    `${WORK}if printf 'url=https://evil.invalid%%0ahost=git.probe.invalid/org/repository\\n\\n' | git credential fill | mine secret; then breach "the helper gave the secret"; fi
if printf 'protocol=https\\nhost=evil.invalid\\npath=org/repository\\n\\n' | git credential fill | mine secret; then breach "the helper gave the secret"; fi`,
  ],
  ["credential_redirect", "sends the secret to the target of a redirect", "user", redirected],
] as const);
