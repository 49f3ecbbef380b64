import { existsSync } from "node:fs";
import { cp, mkdir, readdir, readlink, symlink, writeFile } from "node:fs/promises";
import { gitConfig } from "../inside/git-config.ts";
import { trustedBundle } from "../inside/trusted-bundle.ts";

/** uid and gid of the agent inside. */
export const INSIDE_ID = 1000;

/** Host files without secrets that programs expect, copied when present. */
const COPIED = [
  "ld.so.cache",
  "services",
  "protocols",
  "mime.types",
  "ssl/openssl.cnf",
  "debian_version",
  "os-release",
];

/** Host paths outside `/usr` that lead into it, as links or as directories. */
const TOP_LEVEL = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];

/** Writes the `/etc` of every sandbox. Nothing of the host's own is in it besides `COPIED` and the trusted CAs. */
export async function writeEtc(directory: string, certificates: readonly string[]): Promise<void> {
  await mkdir(`${directory}/ssl/certs`, { recursive: true });
  await Promise.all(COPIED.map((name) => copyIfPresent(`/etc/${name}`, `${directory}/${name}`)));
  await copyAlternatives(directory);
  const files: Record<string, string> = {
    passwd: `root:x:0:0:root:/root:/bin/sh\nagent:x:${INSIDE_ID}:${INSIDE_ID}:agent:/home/agent:/bin/bash\nnobody:x:65534:65534:nobody:/nonexistent:/bin/false\n`,
    group: `root:x:0:\nagent:x:${INSIDE_ID}:\nnogroup:x:65534:\n`,
    hostname: "session\n",
    hosts: "127.0.0.1 localhost session\n::1 localhost ip6-localhost\n",
    "resolv.conf": "nameserver 127.0.0.1\noptions timeout:2 attempts:2\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\nservices: files\nprotocols: files\n",
    shells: "/bin/sh\n/bin/bash\n",
    profile: "umask 022\n",
    gitconfig: gitConfig,
    "ssl/certs/ca-certificates.crt": await trustedBundle(certificates),
  };
  await Promise.all(Object.entries(files).map(([name, text]) => writeFile(`${directory}/${name}`, text)));
  await symlink("certs/ca-certificates.crt", `${directory}/ssl/cert.pem`);
  await symlink("/proc/mounts", `${directory}/mtab`);
  await symlink("/usr/share/zoneinfo/UTC", `${directory}/localtime`);
}

/** bwrap's options for `/usr` and for what the host has beside it that belongs to it. */
export async function systemArguments(): Promise<string[]> {
  const beside = await Promise.all(
    TOP_LEVEL.filter((path) => existsSync(path)).map(async (path) => {
      const target = await readlink(path).catch(() => null);
      return target === null ? ["--ro-bind", path, path] : ["--symlink", target, path];
    }),
  );
  return ["--ro-bind", "/usr", "/usr", ...beside.flat()];
}

/** Links such as `/usr/bin/awk` lead through here. Those that leave `/usr` would tell about the host. */
async function copyAlternatives(directory: string): Promise<void> {
  await mkdir(`${directory}/alternatives`, { recursive: true });
  const names = await readdir("/etc/alternatives").catch(() => []);
  await Promise.all(
    names.map(async (name) => {
      const target = await readlink(`/etc/alternatives/${name}`).catch(() => "");
      if (/^\/(usr|bin|sbin|lib)\//.test(target)) await symlink(target, `${directory}/alternatives/${name}`);
    }),
  );
}

async function copyIfPresent(from: string, to: string): Promise<void> {
  if (existsSync(from)) await cp(from, to, { dereference: true });
}
