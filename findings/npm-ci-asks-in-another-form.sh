#!/bin/sh
# npm 11.19.1: `npm ci --offline` does not find in the cache what `npm install` has just put there, if the lock file names no addresses.
#
# With `omit-lockfile-registry-resolved`, which keeps a registry's address out of a lock file, `npm ci` must ask the registry where a
# package's archive is. `npm install` asked the same with `Accept: application/json`, `npm ci` asks for the abbreviated form, and the
# cache holds one answer for each. So `--offline` ends with ENOTCACHED beside a full cache, and works once `npm ci` ran with a network.
# One would expect that what was installed a moment ago can be installed again from the cache.
#
# Seen:
#   install: added 1 package
#   ci --offline: ENOTCACHED
#   ci: added 1 package
#   ci --offline: added 1 package
#   asked: /tiny application/json
#   asked: /tiny application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8, */*
set -eu
work=$(mktemp -d)
server=
trap 'if [ -n "$server" ]; then kill "$server"; fi; rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --prefix tools npm@11.19.1 >/dev/null
mkdir package project
echo '{"name": "tiny", "version": "1.0.0"}' >package/package.json
tar -czf tiny.tgz package
cat >registry.mjs <<'JS'
import { createHash } from "node:crypto";
import { appendFileSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";

const archive = readFileSync("tiny.tgz");
const integrity = `sha512-${createHash("sha512").update(archive).digest("base64")}`;
const server = createServer((request, response) => {
  if (request.url.endsWith(".tgz")) return response.end(archive);
  appendFileSync("asked", `asked: ${request.url} ${request.headers.accept}\n`);
  const dist = { tarball: `http://127.0.0.1:${server.address().port}/tiny/-/tiny-1.0.0.tgz`, integrity };
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ name: "tiny", "dist-tags": { latest: "1.0.0" }, versions: { "1.0.0": { name: "tiny", version: "1.0.0", dist } } }));
}).listen(0, "127.0.0.1", () => {
  writeFileSync("port.new", `${server.address().port}`);
  renameSync("port.new", "port");
});
JS
node registry.mjs &
server=$!
until [ -s port ]; do kill -0 "$server"; done
cat >project/.npmrc <<EOF
registry=http://127.0.0.1:$(cat port)/
cache=$work/cache
omit-lockfile-registry-resolved=true
audit=false
fund=false
update-notifier=false
EOF
echo '{"name": "project", "version": "1.0.0"}' >project/package.json
said() {
  node "$work/tools/node_modules/npm/bin/npm-cli.js" "$@" 2>&1 | sed -n 's/^npm error code \(.*\)/\1/p; s/^\(added [0-9]* package\).*/\1/p'
}
cd project
{
  echo "install: $(said install tiny)"
  rm -rf node_modules
  echo "ci --offline: $(said ci --offline)"
  echo "ci: $(said ci)"
  rm -rf node_modules
  echo "ci --offline: $(said ci --offline)"
  cat ../asked
} | tee ../seen.txt
cmp - ../seen.txt <<'EOF'
install: added 1 package
ci --offline: ENOTCACHED
ci: added 1 package
ci --offline: added 1 package
asked: /tiny application/json
asked: /tiny application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8, */*
EOF
