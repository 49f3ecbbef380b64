import { shellPrograms } from "../scripts/read-script.ts";
import type { RuntimeRelease } from "./runtime-release.ts";

const ARCHIVES = shellPrograms("runtimes/begin.sh", "runtimes/archives.sh", "runtimes/end.sh");
const BASE = shellPrograms("runtimes/begin.sh", "runtimes/base.sh", "runtimes/end.sh");
const DEBIAN = shellPrograms("runtimes/begin.sh", "runtimes/debian.sh", "runtimes/end.sh");

/** Scripts that fail if a runtime does not work. */
const CHECKS: Readonly<Record<string, string>> = {
  node: "node -e 0 && npm --version",
  python: "python3 -c 'import ssl, venv'",
  go: "go list fmt && go tool compile -V",
  rust: "printf 'fn main() {}' >a.rs && rustc a.rs && ./a && cargo --version",
  java: "printf 'class A { public static void main(String[] a) {} }' >A.java && javac A.java && java A",
};

/** The work of a sandbox that makes the tree of a release. */
export interface RuntimeScript {
  script: string;
  environment: Readonly<Record<string, string>>;
  /** Hosts that it needs, with the port if it is neither 80 nor 443. */
  hosts: string[];
}

/** @param aptHosts Hosts of the archive of Debian. */
export function runtimeScript(
  { runtime, contents }: RuntimeRelease,
  aptHosts: readonly string[],
): RuntimeScript {
  const common = { CHECK: CHECKS[runtime] ?? `${runtime} --version`, PROGRAMS: "" };
  if (contents.from === "base")
    return { script: BASE, environment: { ...common, BASE: lines(contents.programs) }, hosts: [] };
  if (contents.from === "debian") {
    const { suite, packages } = contents;
    const environment = { ...common, SUITE: suite, PACKAGES: packages.join(" ") };
    return { script: DEBIAN, environment, hosts: [...aptHosts] };
  }
  const { archives, hosts } = contents;
  const within = (into: string, path: string) => (into === "" ? path : `${into}/${path}`);
  return {
    script: ARCHIVES,
    environment: {
      ...common,
      ARCHIVES: archives
        .map(({ url, digest, into, strip }) => `${url} ${digest} ${into || "."} ${strip}`)
        .join("\n"),
      PROGRAMS: archives
        .flatMap(({ into, programs }) =>
          Object.entries(programs).map(([name, path]) => `${name} ${within(into, path)}`),
        )
        .join("\n"),
    },
    hosts: [...new Set([...archives.map(({ url }) => new URL(url).host), ...hosts])],
  };
}

function lines(programs: Readonly<Record<string, string>>): string {
  return Object.entries(programs)
    .map((pair) => pair.join(" "))
    .join("\n");
}
