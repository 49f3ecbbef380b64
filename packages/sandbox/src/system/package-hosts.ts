/** A public host that a package manager uses. */
export interface PackageHost {
  host: string;
  tool: PackageTool;
  /** What the tool gets there. */
  why: string;
  /** Where it is said that the tool does. */
  source: string;
}

type PackageTool = "apt" | "npm" | "pip" | "cargo" | "go" | "gem" | "maven";

/**
 * The hosts that package managers use by default, including those to which they are redirected. Each is reached
 * at ports 80 and 443. A registry also accepts uploads, so each is a way to send data out. A host at which
 * anybody can write under any name, such as a forge or a front for buckets, is in no row.
 */
export const PACKAGE_HOST_ROWS: readonly PackageHost[] = [
  row("apt", "deb.debian.org", "packages of Debian", "sources of Debian"),
  row("apt", "security.debian.org", "its security updates", "sources of Debian"),
  row("apt", "archive.ubuntu.com", "packages of Ubuntu", "sources of Ubuntu"),
  row("apt", "security.ubuntu.com", "its security updates", "sources of Ubuntu"),
  row("apt", "ports.ubuntu.com", "packages of Ubuntu for arm64", "sources of Ubuntu"),
  row("npm", "registry.npmjs.org", "packages", "npm, setting `registry`"),
  row("npm", "registry.yarnpkg.com", "packages, of yarn", "yarn, setting `npmRegistryServer`"),
  row("npm", "repo.yarnpkg.com", "yarn itself, by corepack", "corepack, `config.json`"),
  row("npm", "nodejs.org", "headers for native add-ons", "node-gyp, option `--dist-url`"),
  row("npm", "jsr.io", "packages of JSR", "Deno, variable `JSR_URL`"),
  row("npm", "npm.jsr.io", "packages of JSR for npm", "JSR, npm compatibility"),
  row("npm", "deno.land", "modules, of Deno", "Deno, imports by URL"),
  row("npm", "cdn.playwright.dev", "browsers of Playwright", "Playwright, `PLAYWRIGHT_DOWNLOAD_HOST`"),
  row("pip", "pypi.org", "the index", "pip, option `--index-url`"),
  row("pip", "files.pythonhosted.org", "packages", "links of the index"),
  row("cargo", "index.crates.io", "the index", "cargo, registry `crates-io`"),
  row("cargo", "static.crates.io", "crates", "`config.json` of the index"),
  row("cargo", "crates.io", "search, and crates for old versions of cargo", "`config.json` of the index"),
  row("cargo", "static.rust-lang.org", "toolchains", "rustup, variable `RUSTUP_DIST_SERVER`"),
  row("go", "proxy.golang.org", "modules and toolchains", "go, variable `GOPROXY`"),
  row("go", "sum.golang.org", "checksums", "go, variable `GOSUMDB`"),
  row("go", "go.dev", "releases of Go", "download page of Go"),
  row("go", "dl.google.com", "releases of Go", "redirect of go.dev"),
  row("gem", "rubygems.org", "gems", "gem, setting `sources`"),
  row("gem", "index.rubygems.org", "the index", "Bundler, compact index"),
  row("maven", "repo.maven.apache.org", "artifacts", "Maven, repository `central`"),
  row("maven", "repo1.maven.org", "artifacts", "Gradle, `mavenCentral()` of old versions"),
  row("maven", "plugins.gradle.org", "plugins of Gradle", "Gradle, `gradlePluginPortal()`"),
  row("maven", "plugins-artifacts.gradle.org", "plugins of Gradle", "redirect of plugins.gradle.org"),
  row("maven", "services.gradle.org", "Gradle itself", "wrapper of Gradle, `distributionUrl`"),
  row("maven", "downloads.gradle.org", "Gradle itself", "redirect of services.gradle.org"),
];

/** The hosts of each package manager. */
export const PACKAGE_HOSTS: Readonly<Record<PackageTool, readonly string[]>> = {
  apt: hostsOf("apt"),
  npm: hostsOf("npm"),
  pip: hostsOf("pip"),
  cargo: hostsOf("cargo"),
  go: hostsOf("go"),
  gem: hostsOf("gem"),
  maven: hostsOf("maven"),
};

/** The names that the guide has for package managers with the same hosts. */
const NAMES: Readonly<Partial<Record<PackageTool, string>>> = {
  npm: "npm, pnpm, yarn, Bun, Deno",
  pip: "pip, uv",
  cargo: "cargo, rustup",
  gem: "gem, Bundler",
  maven: "Maven, Gradle",
};

/** Returns the rows as a table in Markdown. */
export function packageHostsTable(): string {
  const lines = PACKAGE_HOST_ROWS.map(
    ({ host, tool, why, source }) => `| ${NAMES[tool] ?? tool} | ${host} | ${why} | ${source} |`,
  );
  return ["| package manager | host | what it gets there | said by |", "|---|---|---|---|", ...lines].join(
    "\n",
  );
}

function row(tool: PackageTool, host: string, why: string, source: string): PackageHost {
  return { host, tool, why, source };
}

function hostsOf(tool: PackageTool): string[] {
  return PACKAGE_HOST_ROWS.filter((one) => one.tool === tool).map(({ host }) => host);
}
