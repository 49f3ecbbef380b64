/**
 * The public hosts that each package manager asks when nothing else is configured, with those that it is sent on to. Names
 * alone: each is reached at 80 and 443. A registry takes uploads as well, so each of these is also a way out for what a
 * session knows.
 */
export const packageHosts = {
  apt: [
    "deb.debian.org",
    "security.debian.org",
    "archive.ubuntu.com",
    "security.ubuntu.com",
    "ports.ubuntu.com",
  ],
  npm: ["registry.npmjs.org", "registry.yarnpkg.com"],
  pip: ["pypi.org", "files.pythonhosted.org"],
  cargo: ["crates.io", "index.crates.io", "static.crates.io"],
  go: ["proxy.golang.org", "sum.golang.org"],
  gem: ["rubygems.org", "index.rubygems.org"],
  maven: ["repo.maven.apache.org", "repo1.maven.org", "plugins.gradle.org"],
} as const satisfies Record<string, readonly string[]>;

export type PackageManager = keyof typeof packageHosts;

/** The hosts of all of them, each once. */
export const allPackageHosts: readonly string[] = Object.values(packageHosts).flat();
