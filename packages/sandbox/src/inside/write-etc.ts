import { mkdir, writeFile } from "node:fs/promises";
import { gitConfig } from "./git-config.ts";
import { trustedBundle } from "./trusted-bundle.ts";

/** Writes the files of `/etc` that replace those of every image. */
export async function writeSharedEtc(directory: string, certificates: readonly string[]): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o755 });
  const files: Record<string, string> = {
    gitconfig: gitConfig(),
    hosts: "127.0.0.1 localhost session\n::1 localhost ip6-localhost\n",
    "resolv.conf": "nameserver 127.0.0.1\noptions timeout:2 attempts:2\n",
    "ca-certificates.crt": await trustedBundle(certificates),
  };
  await Promise.all(Object.entries(files).map(([name, text]) => writeFile(`${directory}/${name}`, text)));
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
