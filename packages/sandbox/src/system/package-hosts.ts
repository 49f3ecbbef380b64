/**
 * The public hosts that each package manager uses by default, including those to which it is redirected. Each
 * is reached at ports 80 and 443. A registry also accepts uploads, so each of these hosts is a way to send
 * data out.
 */
export const PACKAGE_HOSTS = {
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
