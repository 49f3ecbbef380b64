import { existsSync } from "node:fs";
import { cp, mkdir, readdir, readlink, stat, symlink, writeFile } from "node:fs/promises";
import { LAYERED_HOME, PROGRAMS_INSIDE } from "../../inside/environment.ts";
import { writeEtcFiles } from "../../inside/etc-files.ts";

/** uid and gid of the agent in the sandbox. */
export const INSIDE_ID = 1000;

/** Host files without secrets that programs expect; copied when they exist. */
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

/**
 * Writes the `/etc` of sandboxes with the host's system, in a directory. From the host it contains only
 * `COPIED`, the alternatives and the trusted CAs.
 */
export async function writeEtc(directory: string, certificates: readonly string[]): Promise<void> {
  const etc = `${directory}/etc`;
  await writeOwnFiles(directory, certificates);
  await Promise.all(COPIED.map((name) => copyIfPresent(`/etc/${name}`, `${etc}/${name}`)));
  await copyJavaSettings(etc);
  await copyAlternatives(etc);
  const files: Record<string, string> = {
    passwd: `root:x:0:0:root:/root:/bin/sh\nagent:x:${INSIDE_ID}:${INSIDE_ID}:agent:/home/agent:/bin/bash\nnobody:x:65534:65534:nobody:/nonexistent:/bin/false\n`,
    group: `root:x:0:\nagent:x:${INSIDE_ID}:\nnogroup:x:65534:\n`,
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\nservices: files\nprotocols: files\n",
    shells: "/bin/sh\n/bin/bash\n",
    profile: "umask 022\n",
  };
  await writeFiles(etc, files);
}

/**
 * Writes the layer over every root filesystem. It contains Berth's own files of `/etc`, and the directories
 * that bwrap binds or mounts on. So no layer below can have a link in their place.
 */
export async function writeSystemTop(directory: string, certificates: readonly string[]): Promise<void> {
  const directories = [
    "usr",
    "var/tmp",
    "root",
    `.${PROGRAMS_INSIDE}`,
    `.${LAYERED_HOME}`,
    "home/agent",
    "srv",
  ];
  for (const path of directories) await mkdir(`${directory}/${path}`, { recursive: true });
  await writeOwnFiles(directory, certificates);
}

/** Writes the files of `/etc` that sandboxes have whatever their system. */
async function writeOwnFiles(directory: string, certificates: readonly string[]): Promise<void> {
  const etc = `${directory}/etc`;
  await writeEtcFiles(directory, certificates);
  await writeFile(`${etc}/hostname`, "session\n");
  await symlink("certs/ca-certificates.crt", `${etc}/ssl/cert.pem`);
  await symlink("/proc/mounts", `${etc}/mtab`);
  await symlink("/usr/share/zoneinfo/UTC", `${etc}/localtime`);
}

async function writeFiles(directory: string, files: Readonly<Record<string, string>>): Promise<void> {
  await Promise.all(Object.entries(files).map(([name, text]) => writeFile(`${directory}/${name}`, text)));
}

/**
 * Returns bwrap's options for `/usr` of the host and the directories and links beside it that lead into it.
 */
export async function systemArguments(): Promise<string[]> {
  return ["--ro-bind", "/usr", "/usr", ...(await besideUsr(""))];
}

/**
 * Returns bwrap's options for the directories and links beside `/usr` that lead into it, of the host or of
 * the system tree at `root`.
 */
export async function besideUsr(root: string): Promise<string[]> {
  const beside = await Promise.all(
    TOP_LEVEL.filter((path) => existsSync(`${root}${path}`)).map(async (path) => {
      const target = await readlink(`${root}${path}`).catch(() => null);
      return target === null ? ["--ro-bind", `${root}${path}`, path] : ["--symlink", target, path];
    }),
  );
  return beside.flat();
}

/** Manual pages, which are left out: they are most of the links, and creating links is slow. */
const MANUAL = /\/man\/([a-z_A-Z.-]+\/)?man\d/;

/**
 * Copies the links in /etc/alternatives, through which programs such as `/usr/bin/awk` are found. Links that
 * lead out of `/usr` are left out, since they would reveal paths of the host.
 */
async function copyAlternatives(directory: string): Promise<void> {
  await mkdir(`${directory}/alternatives`, { recursive: true });
  const names = await readdir("/etc/alternatives").catch(() => []);
  await Promise.all(
    names.map(async (name) => {
      const target = await readlink(`/etc/alternatives/${name}`).catch(() => "");
      const isProgram = /^\/(usr|bin|sbin|lib)\//.test(target) && !MANUAL.test(target);
      if (isProgram) await symlink(target, `${directory}/alternatives/${name}`);
    }),
  );
}

/** Copies the settings of Debian's Java, which does not start without them. A file of passwords is private. */
async function copyJavaSettings(directory: string): Promise<void> {
  const names = await readdir("/etc").catch(() => []);
  const isPublic = async (path: string) => ((await stat(path)).mode & 0o004) !== 0;
  for (const name of names.filter((one) => /^java-\d+-openjdk$/.test(one)))
    await cp(`/etc/${name}`, `${directory}/${name}`, {
      recursive: true,
      dereference: true,
      filter: isPublic,
    });
}

async function copyIfPresent(from: string, to: string): Promise<void> {
  if (existsSync(from)) await cp(from, to, { dereference: true });
}
