#!/bin/sh
# git 2.39 (Debian 12), git http-backend: over HTTP the refs are listed by one request, without the one that asks what the server offers.
#
# Version 2 of git's protocol is described as a conversation: the client gets the list of capabilities, and then sends a command that
# was in it. Over HTTP each request is served by a process of its own, which knows nothing of the one before: the command alone is
# answered. The version is named by the header of each request, and is no state either: without it the same body is taken for a
# request of version 0, and is refused. What the first request is really for is the object format: the command has to name that of
# the repository, and where it names none, SHA-1 is meant.
#
# A client that has listed a repository before can so ask once where git asks twice, and has to fall back to both where that is refused.
#
# Seen:
#   git's own: GET /a.git/info/refs POST /a.git/git-upload-pack
#   the command alone: 200 refs/heads/main
#   without the header: no refs
#   a SHA-256 repository, without its format: no refs
#   a SHA-256 repository, with its format: 200 refs/heads/main
set -eu
work=$(mktemp -d)
server=
trap 'kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
cd "$work"
export HOME="$work" GIT_CONFIG_NOSYSTEM=1 GIT_TERMINAL_PROMPT=0
for format in sha1 sha256; do
  git init -q -b main --object-format=$format seed-$format
  git -C seed-$format -c user.name=Ann -c user.email=ann@example.com commit -q --allow-empty -m first
done
git clone -q --bare seed-sha1 a.git
git clone -q --bare seed-sha256 b.git
cat > server.mjs <<'JS'
import { execFileSync, spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import { createServer } from "node:http";

const backend = `${execFileSync("git", ["--exec-path"], { encoding: "utf8" }).trim()}/git-http-backend`;
const server = createServer((request, response) => {
  const { pathname, search } = new URL(request.url, "http://localhost");
  appendFileSync("asked", `${request.method} ${pathname}\n`);
  const child = spawn(backend, [], {
    stdio: ["pipe", "pipe", "ignore"],
    env: {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: process.cwd(),
      GIT_HTTP_EXPORT_ALL: "1",
      GIT_PROTOCOL: request.headers["git-protocol"] ?? "",
      REQUEST_METHOD: request.method,
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      CONTENT_TYPE: request.headers["content-type"] ?? "",
    },
  });
  child.stdin.on("error", () => {});
  request.pipe(child.stdin);
  const parts = [];
  child.stdout.on("data", (part) => parts.push(part));
  child.on("close", () => {
    const answer = Buffer.concat(parts);
    const end = answer.indexOf("\r\n\r\n");
    const lines = answer.subarray(0, end).toString().split("\r\n").map((line) => line.split(": "));
    const { Status = "200", ...headers } = Object.fromEntries(lines);
    response.writeHead(Number.parseInt(Status, 10), headers).end(answer.subarray(end + 4));
  });
}).listen(0, "127.0.0.1", () => console.log(server.address().port));
JS
cat > ask.mjs <<'JS'
const [port, path, version, format] = process.argv.slice(2);
const line = (text) => (text.length + 4).toString(16).padStart(4, "0") + text;
const named = format === "none" ? "" : line(`object-format=${format}\n`);
const response = await fetch(`http://127.0.0.1:${port}/${path}/git-upload-pack`, {
  method: "POST",
  headers: {
    "content-type": "application/x-git-upload-pack-request",
    ...(version === "none" ? {} : { "git-protocol": `version=${version}` }),
  },
  body: `${line("command=ls-refs\n")}${named}0001${line("ref-prefix refs/heads/\n")}0000`,
});
const refs = (await response.text()).match(/refs\/heads\/\w+/g);
console.log(refs === null ? "no refs" : `${response.status} ${refs.join(" ")}`);
JS
node server.mjs >port &
server=$!
until [ -s port ]; do :; done
port=$(cat port)
git ls-remote -q "http://127.0.0.1:$port/a.git" >/dev/null
{
  echo "git's own: $(tr '\n' ' ' <asked | sed 's/ $//')"
  echo "the command alone: $(node ask.mjs "$port" a.git 2 sha1)"
  echo "without the header: $(node ask.mjs "$port" a.git none sha1)"
  echo "a SHA-256 repository, without its format: $(node ask.mjs "$port" b.git 2 none)"
  echo "a SHA-256 repository, with its format: $(node ask.mjs "$port" b.git 2 sha256)"
} | tee seen
cmp - seen <<'SEEN'
git's own: GET /a.git/info/refs POST /a.git/git-upload-pack
the command alone: 200 refs/heads/main
without the header: no refs
a SHA-256 repository, without its format: no refs
a SHA-256 repository, with its format: 200 refs/heads/main
SEEN
