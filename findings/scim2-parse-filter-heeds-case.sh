#!/bin/sh
# scim2-parse-filter 0.2.10: `userName eq "BJENSEN"` does not find bjensen, nor does `emails co "example"` find an address.
#
# User names are compared without regard to case (caseExact is false in RFC 7643, section 8.7.1), and the filter `userName Eq "john"` of RFC 7644, section 3.4.2.2, names no sub-attribute: for a
# multi-valued complex attribute the value is meant, as in the RFC's own example `emails co "example.com"`. The library knows no schema, compares strings as they are and a list not at all, so an identity provider
# that asks for a user in another case is told that there is none, and creates a second one. It also takes `not active eq true`, which the grammar forbids.
#
# Seen, for {"userName":"bjensen","emails":[{"value":"b@example.com"}]}:
#   userName eq "bjensen" -> true
#   userName eq "BJENSEN" -> false
#   emails.value co "example.com" -> true
#   emails co "example.com" -> false
#   not userName eq "x" -> true
#
# Installs the package from the npm registry into a temporary directory.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund scim2-parse-filter@0.2.10 >/dev/null
cat >try.mjs <<'JS'
import { filter, parse } from "scim2-parse-filter";
const user = { userName: "bjensen", emails: [{ value: "b@example.com" }] };
for (const text of [
  'userName eq "bjensen"',
  'userName eq "BJENSEN"',
  'emails.value co "example.com"',
  'emails co "example.com"',
  'not userName eq "x"',
])
  console.log(`${text} -> ${filter(parse(text))(user)}`);
JS
node try.mjs | tee seen.txt
cmp - seen.txt <<'SEEN'
userName eq "bjensen" -> true
userName eq "BJENSEN" -> false
emails.value co "example.com" -> true
emails co "example.com" -> false
not userName eq "x" -> true
SEEN
