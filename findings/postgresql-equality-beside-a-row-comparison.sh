#!/bin/sh
# PostgreSQL 18.7 (@electric-sql/pglite 0.5.17): an equality that adds nothing makes a page of a list read all that comes before it.
#
# A page after a position is `(owner, id) < (1, 100000) order by owner desc, id desc limit 10`, with an index on both columns. The scan
# begins at the position. With `owner = 1 and` in front, which the rows of the page have anyway, and which a filter or an access rule
# easily adds, it begins at the edge of the owner's rows, and steps over half of them. The plan looks the same, the comparison
# stands among the conditions of the index, and the planner's costs do not show it. One would expect that more conditions on
# an index's first column cannot make its scan longer. With `owner = 1 and id < 100000` it begins at the position, too.
#
# Seen, with 200,000 rows:
#   row comparison: 4 blocks
#   equality and row comparison: 277 blocks
#   equality and plain comparison: 4 blocks
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund @electric-sql/pglite@0.5.17 >/dev/null
cat >pages.mjs <<'JS'
import { PGlite } from "@electric-sql/pglite";

const db = new PGlite();
await db.exec("create table rows (owner int not null, id int not null)");
await db.exec("create index rows_by_owner on rows (owner, id)");
await db.exec("insert into rows select 1, n from generate_series(1, 200000) as n");
await db.exec("vacuum analyze rows");
for (const [what, where] of [
  ["row comparison", "(owner, id) < (1, 100000)"],
  ["equality and row comparison", "owner = 1 and (owner, id) < (1, 100000)"],
  ["equality and plain comparison", "owner = 1 and id < 100000"],
]) {
  const text = `select id from rows where ${where} order by owner desc, id desc limit 10`;
  const { rows } = await db.query(`explain (analyze, buffers, format json) ${text}`);
  const [{ Plan: plan }] = rows[0]["QUERY PLAN"];
  console.log(`${what}: ${plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]} blocks`);
}
JS
node pages.mjs | tee seen.txt
cmp - seen.txt <<'EOF'
row comparison: 4 blocks
equality and row comparison: 277 blocks
equality and plain comparison: 4 blocks
EOF
