#!/bin/sh
# scim-patch 0.8.3: a path in another case makes a second attribute, and the text "False" stays a text.
#
# Names of attributes are case insensitive (RFC 7643, section 2.1). A PATCH of `username` that should rename a user adds the attribute `username` beside
# `userName`, which keeps its value, and no error is thrown. Microsoft Entra ID sends booleans as "True" and "False" unless it is told otherwise: after a PATCH that deactivates a
# user, `active` is the text "False", which is true in JavaScript. Normalize names and booleans by the schema before the library sees them.
#
# Seen:
#   {"op":"replace","path":"username","value":"new"} -> {"userName":"old","active":true,"username":"new"}
#   {"op":"Replace","path":"active","value":"False"} -> {"userName":"old","active":"False"}, so Boolean(active) is true
#
# Installs the package from the npm registry into a temporary directory.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund scim-patch@0.8.3 >/dev/null
cat >try.mjs <<'JS'
import { scimPatch } from "scim-patch";
const patched = (operation) => {
  const { schemas, meta, ...rest } = scimPatch({ schemas: [], meta: {}, userName: "old", active: true }, [operation]);
  return rest;
};
const rename = { op: "replace", path: "username", value: "new" };
console.log(`${JSON.stringify(rename)} -> ${JSON.stringify(patched(rename))}`);
const disable = { op: "Replace", path: "active", value: "False" };
const disabled = patched(disable);
console.log(`${JSON.stringify(disable)} -> ${JSON.stringify(disabled)}, so Boolean(active) is ${Boolean(disabled.active)}`);
JS
node try.mjs | tee seen.txt
cmp - seen.txt <<'SEEN'
{"op":"replace","path":"username","value":"new"} -> {"userName":"old","active":true,"username":"new"}
{"op":"Replace","path":"active","value":"False"} -> {"userName":"old","active":"False"}, so Boolean(active) is true
SEEN
