import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { type Authorities, pem, readAuthorities } from "./authorities.ts";
import { BUNDLE, JAVA_AUTHORITIES, OWN_AUTHORITIES } from "./environment.ts";
import { gitConfig } from "./git-config.ts";
import { javaKeyStore } from "./java-key-store.ts";

/** Where Chromium, Chrome and Chrome for Testing read an administrator's policies. */
const BROWSER_POLICIES = ["/etc/chromium", "/etc/opt/chrome", "/etc/opt/chrome_for_testing"].map(
  (directory) => `${directory}/policies/managed/berth.json`,
);

/** Files by path that every sandbox has, on every engine, instead of those of its system or image. */
const ETC_FILES: Readonly<Record<string, (authorities: Authorities) => string | Buffer>> = {
  "/etc/hosts": () => "127.0.0.1 localhost session\n::1 localhost ip6-localhost\n",
  "/etc/resolv.conf": () => "nameserver 127.0.0.1\noptions timeout:2 attempts:2\n",
  [BUNDLE]: ({ all }) => pem(all),
  [OWN_AUTHORITIES]: ({ own }) => pem(own),
  [JAVA_AUTHORITIES]: ({ all }) => javaKeyStore(all),
  ...Object.fromEntries(BROWSER_POLICIES.map((path) => [path, browserPolicy])),
  // Debian's Chromium reads it. A browser cannot make the namespaces of its own sandbox inside another one.
  "/etc/chromium.d/berth": () => 'export CHROMIUM_FLAGS="$CHROMIUM_FLAGS --no-sandbox"\n',
};

/** The paths of these files; git's configuration depends on the sandbox. */
export const ETC_PATHS: readonly string[] = Object.keys(ETC_FILES);

/** Writes these files and git's default configuration below a directory, at their paths. */
export async function writeEtcFiles(directory: string, certificates: readonly string[]): Promise<void> {
  const authorities = await readAuthorities(certificates);
  for (const [path, content] of Object.entries(ETC_FILES)) {
    await mkdir(dirname(`${directory}${path}`), { recursive: true, mode: 0o755 });
    await writeFile(`${directory}${path}`, content(authorities));
  }
  await writeFile(`${directory}/etc/gitconfig`, gitConfig());
}

/** Returns a policy by which a browser trusts these authorities besides those that it brings. */
function browserPolicy({ own }: Authorities): string {
  return JSON.stringify({ CACertificates: own.map((one) => one.replaceAll(/-----[^-]+-----|\s/g, "")) });
}

/** Writes the user files of `/etc`, in which the agent has the host uid of the session. */
export async function writeUsers(directory: string, uid: number): Promise<void> {
  const passwd = `root:x:0:0:root:/root:/bin/sh
agent:x:${uid}:${uid}:agent:/home/agent:/bin/bash
nobody:x:65534:65534:nobody:/nonexistent:/bin/false
`;
  await writeFile(`${directory}/passwd`, passwd);
  await writeFile(`${directory}/group`, `root:x:0:\nagent:x:${uid}:\nnogroup:x:65534:\n`);
}
