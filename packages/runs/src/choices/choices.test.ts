import assert from "node:assert/strict";
import { test } from "node:test";
import { choose, type RepositoryFiles } from "./choose.ts";
import { matchMeaning, nearest } from "./match-wish.ts";
import { printable } from "./wish.ts";

/** Versions on offer, as an installation may have them. */
const OFFER: Readonly<Record<string, readonly string[]>> = {
  node: ["18.20.8", "20.9.0", "20.19.5", "22.21.1", "23.1.0", "24.11.0", "25.1.0"],
  python: ["3.10.18", "3.12.1", "3.12.11", "3.13", "3.14.0"],
  go: ["1.24", "1.25", "1.26"],
  rust: ["1.85", "1.91.1"],
  java: ["17.0.11", "21", "25"],
  bun: ["1.1.0", "1.3.2"],
  deno: ["2.5.1"],
  pnpm: ["9.1.0", "10.20.0"],
  yarn: ["1.22.22", "4.9.1"],
  uv: ["0.9.9"],
};

const one = (files: Record<string, string>, id = "one"): RepositoryFiles => ({
  id,
  files: Object.entries(files).map(([file, text]) => ({ file, content: { text } })),
});

/** Returns `runtime version file:line`, with `-` for a version that is not on offer, and what is ignored. */
function chosen(...repositories: RepositoryFiles[]): { wishes: string[]; ignored: string[] } {
  const { wishes, ignored } = choose(repositories);
  return {
    wishes: wishes.map(({ runtime, meaning, file, line }) => {
      const version = matchMeaning(runtime, meaning, OFFER[runtime] ?? []);
      return `${runtime} ${version ?? "-"} ${file}:${line}`;
    }),
    ignored: ignored.map(({ file, line, reason }) => `${file}:${line} ${reason}`),
  };
}

const wishesOf = (file: string, text: string) => chosen(one({ [file]: text })).wishes;

test("each file as its tool writes it: version, and the line that asks for it", () => {
  const cases: [file: string, text: string, ...expected: string[]][] = [
    [".nvmrc", "v20.9.0\n", "node 20.9.0 .nvmrc:1"],
    [".nvmrc", "# of us\n\n20 # why\n", "node 20.19.5 .nvmrc:3"],
    [".nvmrc", "lts/*", "node 24.11.0 .nvmrc:1"],
    [".nvmrc", "lts/iron", "node 20.19.5 .nvmrc:1"],
    [".nvmrc", "node", "node 25.1.0 .nvmrc:1"],
    [".nvmrc", "14", "node - .nvmrc:1"],
    [".nvmrc", "20.9.1", "node - .nvmrc:1"],
    [".nvmrc", ""],
    [".node-version", "22.x", "node 22.21.1 .node-version:1"],
    [
      ".tool-versions",
      "# tools\nnodejs 20.9.0 18\ngolang 1.24.5\npython 3.12\njava temurin-21.0.2+13.0.LTS\nrust 1.85.0\n",
      "node 20.9.0 .tool-versions:2",
      "go 1.24 .tool-versions:3",
      "python 3.12.11 .tool-versions:4",
      "java 21 .tool-versions:5",
      "rust 1.85 .tool-versions:6",
    ],
    [
      "mise.toml",
      '[env]\nnode = "1"\n\n[tools]\nnode = "lts"\n"npm:pnpm" = "9"\npython = ["3.12", "3.11"]\ngo = { version = "latest" }\n',
      "node 24.11.0 mise.toml:5",
      "pnpm 9.1.0 mise.toml:6",
      "python 3.12.11 mise.toml:7",
      "go 1.26 mise.toml:8",
    ],
    [".mise.toml", 'tools.bun = "1"\n', "bun 1.3.2 .mise.toml:1"],
    [
      "package.json",
      '{\n "name": "a",\n "engines": {\n  "node": ">=18 <23",\n  "pnpm": ">=9"\n },\n "packageManager": "pnpm@9.1.0+sha512.ab/c=="\n}',
      "pnpm 9.1.0 package.json:7",
      "node 22.21.1 package.json:4",
    ],
    [
      "package.json",
      '{"engines": {"node": ">=18"}, "volta": {"node": "20.9.0"}}',
      "node 20.9.0 package.json:1",
    ],
    ["package.json", '{"engines": {"node": ">=18"}}', "node 24.11.0 package.json:1"],
    ["package.json", '{"engines": {"node": "^25"}}', "node 25.1.0 package.json:1"],
    [
      "package.json",
      '{"devEngines": {"runtime": {"name": "node", "version": "^20"},\n"packageManager": [{"name": "yarn", "version": "^4"}]}}',
      "node 20.19.5 package.json:1",
      "yarn 4.9.1 package.json:2",
    ],
    ["package.json", '{"packageManager": "yarn@4.9.1"}', "yarn 4.9.1 package.json:1"],
    [".python-version", "3.12\n", "python 3.12.11 .python-version:1"],
    [".python-version", "3.13.7\n3.12\n", "python 3.13 .python-version:1"],
    [
      "pyproject.toml",
      '[project]\nname = "a"\nrequires-python = ">=3.10,<3.13,!=3.12.11"\n',
      "python 3.12.1 pyproject.toml:3",
    ],
    ["pyproject.toml", '[project]\nrequires-python = "~=3.12.0"\n', "python 3.12.11 pyproject.toml:2"],
    ["pyproject.toml", '[project]\nrequires-python = "==3.13.*"\n', "python 3.13 pyproject.toml:2"],
    ["pyproject.toml", '[tool.poetry.dependencies]\npython = "^3.12"\n', "python 3.14.0 pyproject.toml:2"],
    ["go.mod", "module a\n\ngo 1.23 // least\n", "go 1.24 go.mod:3"],
    ["go.mod", "module a\ngo 1.24.1\ntoolchain go1.25.3\n", "go 1.25 go.mod:3"],
    ["go.mod", "module a\ngo 1.25.0\ntoolchain default\n", "go 1.25 go.mod:2"],
    ["go.mod", "module a\ngo 1.99\n", "go - go.mod:2"],
    [
      "rust-toolchain.toml",
      '[toolchain]\ncomponents = ["clippy"]\nchannel = "1.91.1"\n',
      "rust 1.91.1 rust-toolchain.toml:3",
    ],
    ["rust-toolchain.toml", '[toolchain]\nchannel = "nightly-2026-01-01"\n', "rust - rust-toolchain.toml:2"],
    ["rust-toolchain", "stable\n", "rust 1.91.1 rust-toolchain:1"],
    [".java-version", "openjdk64-17.0.11\n", "java 17.0.11 .java-version:1"],
    [".java-version", "1.8\n", "java - .java-version:1"],
    [".sdkmanrc", "# sdk env\njava=21.0.2-tem\n", "java 21 .sdkmanrc:2"],
    [
      ".devcontainer/devcontainer.json",
      '// ours\n{\n "features": {\n  "ghcr.io/devcontainers/features/node:1": {"version": "20", "pnpmVersion": "10"}, /* */\n  "ghcr.io/devcontainers/features/go:1": {},\n },\n}',
      "node 20.19.5 .devcontainer/devcontainer.json:4",
      "pnpm 10.20.0 .devcontainer/devcontainer.json:4",
      "go 1.26 .devcontainer/devcontainer.json:5",
    ],
    [
      "yarn.lock",
      "# THIS IS AN AUTOGENERATED FILE. DO NOT EDIT THIS FILE DIRECTLY.\n# yarn lockfile v1\n\n\n",
      "yarn 1.22.22 yarn.lock:2",
    ],
    ["yarn.lock", "# yarn lockfile v1\r\n\r\n", "yarn 1.22.22 yarn.lock:1"],
    ["yarn.lock", "# Made.\n\n__metadata:\n  version: 8\n  cacheKey: 10\n", "yarn 4.9.1 yarn.lock:4"],
    ["yarn.lock", "__metadata:\n  version: 6\n", "yarn - yarn.lock:2"],
    ["yarn.lock", "# of us\n"],
    ["pnpm-lock.yaml", "lockfileVersion: '9.0'\n\nsettings:\n", "pnpm 10.20.0 pnpm-lock.yaml:1"],
    ["pnpm-lock.yaml", "lockfileVersion: '6.0'\n", "pnpm 9.1.0 pnpm-lock.yaml:1"],
    ["pnpm-lock.yaml", "lockfileVersion: 5.4\n", "pnpm - pnpm-lock.yaml:1"],
    ["bun.lock", '{\n  "lockfileVersion": 1,\n  "workspaces": {', "bun 1.3.2 bun.lock:2"],
  ];
  for (const [file, text, ...expected] of cases) assert.deepEqual(wishesOf(file, text), expected, text);
});

test("of two files the first in order counts, and of two repositories the first; others are known as outranked", () => {
  const all = {
    "package.json": '{"engines": {"node": "18"}, "packageManager": "pnpm@9.1.0"}',
    ".nvmrc": "20.9.0",
    ".tool-versions": "nodejs 22",
    "pyproject.toml": '[project]\nrequires-python = ">=3.14"',
    ".python-version": "3.10",
    ".devcontainer.json": '{"features": {"ghcr.io/devcontainers/features/node": "24"}}',
  };
  assert.deepEqual(chosen(one(all)).wishes, [
    "node 22.21.1 .tool-versions:1",
    "python 3.10.18 .python-version:1",
    "pnpm 9.1.0 package.json:1",
  ]);
  const { ".tool-versions": _, ...rest } = all;
  assert.equal(chosen(one(rest)).wishes[0], "node 20.9.0 .nvmrc:1");
  const { wishes, outranked } = choose([one({ ".nvmrc": "20" }, "first"), one({ ".nvmrc": "24" }, "second")]);
  assert.deepEqual([wishes[0]?.id, outranked[0]?.id, outranked[0]?.asked], ["first", "second", "24"]);
});

test("a lock file asks for its package manager where nothing else does, and is not named where something does", () => {
  const lock = one({ "yarn.lock": "# yarn lockfile v1\n", "pnpm-lock.yaml": "lockfileVersion: '9.0'\n" });
  const given = one({ "package.json": '{"packageManager": "yarn@4.9.1"}' }, "two");
  const { wishes, outranked, ignored } = choose([lock, given]);
  const places = wishes.map(({ runtime, id, file }) => `${runtime} ${id} ${file}`);
  assert.deepEqual(places, ["yarn two package.json", "pnpm one pnpm-lock.yaml"]);
  assert.deepEqual([outranked, ignored], [[], []]);
});

test("what is not followed is named with its line and reason", () => {
  const { wishes, ignored } = chosen(
    one({
      ".tool-versions": "ruby 3.3\nnodejs system\npython pypy3.10\n",
      "mise.toml": "[tools]\npython = 3.12\n",
      "package.json": "{",
      "rust-toolchain.toml": '[toolchain]\npath = "/x"\n',
      "go.mod": "a\0b",
      ".devcontainer.json": '{"features": {"ghcr.io/devcontainers/features/docker-in-docker:2": {}}}',
    }),
  );
  assert.deepEqual(wishes, []);
  assert.deepEqual(ignored, [
    ".tool-versions:1 Berth has no runtime 'ruby'",
    ".tool-versions:2 'system' is not followed: it names what the system has",
    ".tool-versions:3 'pypy3.10' is not followed: it is no version that Berth knows",
    "mise.toml:2 the version of python is not a text",
    "rust-toolchain.toml:null it names no channel",
    "go.mod:null it is no text",
    "package.json:null it is not valid JSON",
    ".devcontainer.json:1 the feature 'ghcr.io/devcontainers/features/docker-in-docker:2' is no runtime that Berth has",
  ]);
});

test("nearest: the lines around what was asked for, at most six", () => {
  const versions = ["10.1.0", "12.1.0", "14.1.0", "16.1.0", "18.1.0", "20.1.0", "22.1.0", "24.1.0"];
  const near = (range: string) => nearest("node", { type: "range", range, prefers: "newest" }, versions);
  assert.deepEqual(near("13"), versions.slice(0, 6));
  assert.deepEqual(near("19"), versions.slice(2, 8));
  assert.deepEqual(near(">=99"), versions.slice(2));
  assert.deepEqual(nearest("node", { type: "never" }, versions.slice(0, 2)), versions.slice(0, 2));
});

test("printable: a text is not cut within a character", () => {
  assert.equal(printable("ab😀", 3), "ab\uFFFD…");
  assert.equal(printable("ab😀", 4), "ab😀");
});
