/**
 * The packages that each package may import, and the floors of its `src`.
 *
 * A package is imported only through its doors, which are the `exports` of its `package.json`. A file outside
 * the folders of `src` (`index.ts`) is a door, and may import any folder of its package.
 *
 * Floors are listed from the lowest up; each text names the folders of one floor. A folder imports folders of
 * lower floors, and none of its own floor, so there are no import cycles between folders. Tests and
 * `test-support` may import any file of their package.
 *
 * An import that is not listed is rejected; a listed one that no file uses is a fault, too.
 */
export type ImportTable = Readonly<Record<string, Home>>;

/** A package, or a folder beside the packages. */
export interface Home {
  /** Packages of this repository that its files may import. */
  imports: readonly string[];
  /** Packages that only its tests and test support may import; none by default. */
  tests?: readonly string[];
  /** Folders of its `src`, separated by spaces. */
  floors: readonly string[];
}

export const IMPORT_TABLE: ImportTable = {
  "packages/concurrency": { imports: [], floors: [] },
  "packages/linux": { imports: [], floors: [] },
  "packages/contract": { imports: [], floors: ["conventions", "operations", "schemas", "openapi"] },
  "packages/egress": {
    imports: ["@berth/concurrency", "@berth/linux"],
    floors: [
      "names",
      "policy protocols",
      "addresses dns mitm",
      "outgoing",
      "fetch relay",
      "proxy",
      "network",
      "capture tunnel",
    ],
  },
  "packages/sandbox": {
    imports: ["@berth/concurrency", "@berth/egress", "@berth/linux"],
    floors: [
      "interface scripts seccomp",
      "inside inspect system",
      "commands runtimes saves workspace",
      "host probes",
      "bubblewrap docker kubernetes",
    ],
  },
  "packages/agent": {
    imports: ["@berth/concurrency", "@berth/contract", "@berth/egress", "@berth/linux", "@berth/sandbox"],
    floors: ["prompts tool-schemas", "models", "history tools", "calls mcp", "requests", "loop", "explore"],
  },
  "packages/store": {
    imports: ["@berth/agent", "@berth/concurrency", "@berth/contract", "@berth/egress", "@berth/linux"],
    floors: [
      "db errors log masking traces",
      "access audit blobs limits notify retention secrets",
      "files git-hosts memories runtimes session-log signing skills",
      "leases",
    ],
  },
  "packages/runs": {
    imports: [
      "@berth/agent",
      "@berth/concurrency",
      "@berth/contract",
      "@berth/egress",
      "@berth/linux",
      "@berth/sandbox",
      "@berth/store",
    ],
    tests: ["@berth/api"],
    floors: [
      "choices",
      "call-outputs inputs lease sandbox-io usage",
      "egress memory outputs skills",
      "credentials",
      "mcp repositories tunnels",
      "disks",
      "system",
      "workspace",
      "reads turn",
      "session",
    ],
  },
  "packages/api": {
    imports: [
      "@berth/agent",
      "@berth/concurrency",
      "@berth/contract",
      "@berth/egress",
      "@berth/linux",
      "@berth/store",
    ],
    tests: ["@berth/runs"],
    floors: ["request", "http", "features", "deletion", "administration", "app"],
  },
  "packages/server": {
    imports: [
      "@berth/agent",
      "@berth/api",
      "@berth/concurrency",
      "@berth/contract",
      "@berth/egress",
      "@berth/linux",
      "@berth/runs",
      "@berth/sandbox",
      "@berth/store",
    ],
    floors: ["config processes", "checks", "start", "doctor local", "backup"],
  },
  "packages/sdk": { imports: ["@berth/contract"], floors: ["transport", "streaming", "resources"] },
  "packages/cli": {
    imports: ["@berth/sdk"],
    floors: ["terminal", "shared", "operations render", "commands"],
  },
  "packages/console": { imports: ["@berth/sdk"], floors: ["api format", "ui", "shell", "screens", "app"] },
  tests: { imports: [], floors: [] },
  bench: { imports: [], floors: [] },
  script: { imports: ["@berth/cli", "@berth/sdk"], floors: [] },
};

/**
 * Files that may import what their folder may not: every file whose path begins with `files`. `imports` is a
 * package, or a folder of the repository with a slash at its end.
 */
export type ImportException = { files: string; imports: string; reason: string };

export const IMPORT_EXCEPTIONS: readonly ImportException[] = [
  {
    files: "packages/cli/src/commands/local/",
    imports: "@berth/server",
    reason:
      "serve is the server itself; bootstrap, backup, secrets and doctor act on the installation of this host, beside the API",
  },
  {
    files: "packages/cli/src/commands/admin/",
    imports: "@berth/server",
    reason: "its arguments are names of limits, kept data and scopes, which the server says",
  },
  {
    files: "packages/cli/src/commands/apply/",
    imports: "@berth/contract",
    reason:
      "apply shows all errors of a document, of which the service names the first; the schemas are loaded only then",
  },
  {
    files: "packages/linux/",
    imports: "tests/systemd/",
    reason: "what systemd is told is heard on the same socket as in the acceptance tests",
  },
  {
    files: "packages/egress/",
    imports: "tests/git-host/",
    reason: "egress is tested with the certificates of the git server that all tests share",
  },
  {
    files: "packages/store/",
    imports: "tests/s3-host/",
    reason: "stores of contents are tested on the S3 server that all tests share",
  },
  {
    files: "packages/store/test-support/",
    imports: "tests/postgres-server/",
    reason: "its databases lie where those of the acceptance tests do",
  },
  {
    files: "packages/store/test-support/",
    imports: "tests/acceptance/harness/database-proxy.ts",
    reason: "a network between a worker and the database is cut as in the acceptance tests",
  },
  {
    files: "packages/runs/src/tunnels/",
    imports: "tests/",
    reason:
      "a process with the role egress is tested with a database that it shares, and certificates and ports as in the acceptance tests",
  },
  {
    files: "packages/api/src/features/console/oidc/",
    imports: "tests/identity-provider/",
    reason: "signing in is tested with the OpenID provider that all tests share",
  },
  {
    files: "packages/cli/",
    imports: "tests/git-host/",
    reason: "the retry of a clone is tested with the git server that all tests share",
  },
  {
    files: "packages/cli/src/commands/skills/",
    imports: "packages/api/test-support/skills.ts",
    reason: "archives of skills are tested with the same zip writer as in the service",
  },
  {
    files: "packages/cli/test-support/",
    imports: "tests/",
    reason:
      "the services of its tests begin with the database that all tests share copies of, and get tokens as scenarios do",
  },
  {
    files: "packages/runs/src/session/",
    imports: "tests/effort/",
    reason: "runners die and are raced at many points, of which a part is tried each day",
  },
  {
    files: "packages/sandbox/",
    imports: "tests/effort/",
    reason: "the conformance suite runs on many engines, and a slow machine has time for a part of that",
  },
  {
    files: "script/test.ts",
    imports: "tests/made-database/",
    reason: "a run of the suite makes the database that tests copy",
  },
  {
    files: "tests/kubernetes/chart/",
    imports: "script/chart/",
    reason: "the chart is tested with the renderer that makes the manifests of a release",
  },
  {
    files: "tests/kubernetes/chart/",
    imports: "script/packaging/",
    reason: "manifests are applied as a release has them",
  },
  {
    files: "packages/runs/test-support/lease-program.ts",
    imports: "script/bundle/current-bundle.ts",
    reason: "the many workers of tests start their threads from the bundle, as a service does",
  },
  {
    files: "packages/runs/src/credentials/",
    imports: "tests/git-host/",
    reason: "tokens of connections are made and revoked by the git server that all tests share",
  },
  {
    files: "packages/store/src/git-hosts/",
    imports: "tests/git-host/",
    reason: "the APIs of git hosts are asked of the git server that all tests share",
  },
  {
    files: "packages/store/test-support/",
    imports: "tests/git-host/",
    reason: "connections to git hosts are tested on the git server that all tests share",
  },
  {
    files: "packages/store/src/runtimes/",
    imports: "tests/npm-registry/",
    reason: "lists of versions are read from the npm registry that all tests share",
  },
  {
    files: "packages/sandbox/src/runtimes/",
    imports: "tests/npm-registry/",
    reason: "runtimes are made from archives of the npm registry that all tests share",
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
    files: "packages/sandbox/",
    imports: "tests/kubernetes/",
    reason: "the engine of pods is tested on clusters that the tests of whole services start as well",
  },
  {
    files: "packages/agent/src/mcp/",
    imports: "tests/mcp-host/",
    reason:
      "MCP servers are called as they are in the acceptance tests, behind the same proxy that checks tokens",
  },
  {
    files: "packages/console/src/screens/deployments/upcoming-runs.ts",
    imports: "@berth/contract",
    reason:
      "a schedule is previewed by the code that runs it; it needs Temporal, which runtimes of the SDK may lack",
  },
  {
    files: "packages/sdk/test-support/",
    imports: "tests/acceptance/harness/free-port.ts",
    reason: "a service that restarts at the same address needs a port that no other test takes in between",
  },
  {
    files: "tests/proof/escape/",
    imports: "@berth/sandbox",
    reason: "the escape probes that hold in an engine's tests are run by the agent of a session, as they are",
  },
  {
    files: "tests/release/consumers.ts",
    imports: "@berth/sdk",
    reason: "the texts of programs that import the packed client, outside of the repository",
  },
  {
    files: "script/packaging/with-relative-imports.test.ts",
    imports: "@berth/contract",
    reason: "the texts of compiled files whose imports are rewritten",
  },
  {
    files: "script/packaging/with-relative-imports.test.ts",
    imports: "@berth/server",
    reason: "the texts of compiled files whose imports are rewritten",
  },
  {
    files: "script/bundle/past-doors.test.ts",
    imports: "@berth/store",
    reason: "the texts of sources whose imports are rewritten",
  },
  {
    files: "bench/cases/lists",
    imports: "@berth/store",
    reason: "It stores 100,000 sessions, which takes hours by HTTP.",
  },
  {
    files: "bench/cases/masking",
    imports: "@berth/store",
    reason:
      "what masking takes of a text is measured without the network, the database and the model around it",
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
