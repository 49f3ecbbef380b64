#!/bin/sh
# git-lfs 3.3.0 and 3.6.1 (Debian 12 and 13): after each 401 the credential helper is asked once more; nothing counts the tries.
#
# git itself asks a helper once, tells it to erase what was refused, and fails. git-lfs tells it to erase, too, and then begins anew: as
# often as the helper has an answer. A helper that reads its secret from a file or a variable, and forgets what it was told to erase,
# keeps a transfer and the server's login busy for good. Such a helper has to remember what was refused. The helper below answers
# twice and then ends the transfer itself.
#
# Seen, with each version:
#   git-lfs 3.3.0: get erase get erase get
set -eu
work=$(mktemp -d)
trap 'kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
server=
cd "$work"
cat > server.mjs <<'JS'
import { createServer } from "node:http";

const server = createServer((request, response) => {
  request.resume();
  response.writeHead(401, { "www-authenticate": "Basic realm=files", "content-type": "application/vnd.git-lfs+json" });
  response.end(JSON.stringify({ message: "Bad credentials" }));
}).listen(0, "127.0.0.1", () => console.log(server.address().port));
JS
node server.mjs >port &
server=$!
until [ -s port ]; do :; done
cat > helper <<'HELPER'
#!/bin/sh
cat >/dev/null
echo "$1" >>"$ASKED"
if [ "$1" != get ]; then exit; fi
if [ "$(grep -c get "$ASKED")" -le 2 ]; then printf 'username=ann\npassword=not-accepted\n'; else echo quit=1; fi
HELPER
chmod +x helper
export HOME="$work" GIT_CONFIG_NOSYSTEM=1 GIT_TERMINAL_PROMPT=0
git init -q repository
cd repository
git config user.name Ann
git config user.email ann@example.com
git config credential.helper "$work/helper"
git remote add origin "http://127.0.0.1:$(cat ../port)/ann/files.git"
echo '*.bin filter=lfs' >.gitattributes
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:%064d\nsize 4\n' 7 >file.bin
git -c filter.lfs.clean= -c filter.lfs.process= -c filter.lfs.required=false add -A
git commit -qm 'A file that is stored elsewhere'
# shellcheck disable=SC2016 # apt-get expands it
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' | grep -v security | head -n 1)
for release in bookworm trixie; do
  packages=$work/$release
  mkdir -p "$packages/sources" "$packages/lists/partial"
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $release main" >"$packages/sources/debian.list"
  options="-o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts=$packages/sources -o Dir::State::lists=$packages/lists
    -o Dir::Cache=$packages -o APT::Sandbox::User=root"
  # shellcheck disable=SC2086 # several options
  (cd "$packages" && apt-get update -qq $options && apt-get download -qq $options git-lfs && dpkg -x git-lfs_*.deb lfs) >/dev/null 2>&1
  lfs=$packages/lfs/usr/bin/git-lfs
  version=$("$lfs" version | sed -n '1s,git-lfs/\([0-9.]*\).*,\1,p')
  export ASKED="$packages/asked"
  timeout 60 "$lfs" fetch origin HEAD >/dev/null 2>&1 || true
  echo "git-lfs $version: $(head -n 9 "$ASKED" | paste -sd' ' -)"
done | tee ../seen.txt
cmp - ../seen.txt <<'SEEN'
git-lfs 3.3.0: get erase get erase get
git-lfs 3.6.1: get erase get erase get
SEEN
