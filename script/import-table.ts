/** Which rooms of the repository may import which packages of it. What is not listed is refused. */
export const IMPORT_TABLE: Readonly<Record<string, readonly string[]>> = {
  "packages/contract": [],
  "packages/concurrency": [],
  "packages/linux": [],
  "packages/egress": ["@berth/concurrency", "@berth/linux"],
  "packages/sandbox": ["@berth/concurrency", "@berth/egress", "@berth/linux"],
  "packages/agent": ["@berth/concurrency", "@berth/contract", "@berth/egress", "@berth/sandbox"],
  "packages/server": [
    "@berth/agent",
    "@berth/concurrency",
    "@berth/contract",
    "@berth/egress",
    "@berth/linux",
    "@berth/sandbox",
  ],
  "packages/sdk": ["@berth/contract"],
  "packages/cli": ["@berth/sdk"],
  tests: ["@berth/sdk"],
  bench: ["@berth/sdk"],
  script: ["@berth/sdk", "@berth/cli"],
};

/**
 * Files that may import what their room may not: every file whose path begins with `files`. `imports` is a package, or a
 * folder of the repository with a slash at its end.
 */
export type ImportException = { files: string; imports: string; reason: string };

export const IMPORT_EXCEPTIONS: readonly ImportException[] = [
  {
    files: "packages/cli/src/commands/local/",
    imports: "@berth/server",
    reason:
      "serve is the server itself; token, admin, secrets and doctor act on an installation on this machine, beside the API",
  },
  {
    files: "packages/egress/",
    imports: "tests/git-host/",
    reason: "the way out is tested with certificates of the git server that all tests share",
  },
  {
    files: "packages/sandbox/",
    imports: "tests/git-host/",
    reason:
      "clones and hostile hosts are tested with the git server, and its certificates, that all tests share",
  },
  {
    files: "packages/sandbox/",
    imports: "tests/container-engine/",
    reason: "the engine of containers is tested on engines that the acceptance tests start as well",
  },
  {
    files: "packages/agent/src/mcp/",
    imports: "tests/mcp-host/",
    reason:
      "MCP servers are called as they are in the acceptance tests, behind the same proxy that checks tokens",
  },
  {
    files: "packages/sdk/test-support/",
    imports: "tests/acceptance/harness/free-port.ts",
    reason:
      "a service that comes back at the same address has a port that nobody takes meanwhile, as other tests' servers",
  },
  {
    files: "tests/proof/escape/",
    imports: "@berth/sandbox",
    reason: "the escape probes that hold in an engine's tests are run by the agent of a session, as they are",
  },
  {
    files: "bench/cases/sandbox",
    imports: "@berth/sandbox",
    reason: "a command in an open sandbox is raced against a plain process, without a server around it",
  },
  {
    files: "bench/cases/sandbox",
    imports: "@berth/egress",
    reason: "the sandbox that is measured has the egress that sessions have",
  },
];
