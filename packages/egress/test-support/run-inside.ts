import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { NetworkNamespace } from "../src/capture/network-namespace.ts";

export interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs a shell script in a namespace, with the host's files and 127.0.0.1 as resolver. */
export async function runInside(namespace: NetworkNamespace, script: string): Promise<Ran> {
  const user = namespace.userFd === null ? [] : ["--user=/proc/self/fd/4", "--preserve-credentials"];
  const unshare = ["unshare", "--mount", "--propagation=private", "sh", "-c", `${ownResolver}\n${script}`];
  const child = spawn("nsenter", [...user, "--net=/proc/self/fd/3", "--", ...unshare], {
    env: { PATH: `${process.env.PATH}:/usr/sbin:/sbin`, LC_ALL: "C" },
    stdio: ["ignore", "pipe", "pipe", namespace.netFd, namespace.userFd ?? "ignore"],
  });
  const [stdout, stderr] = [collect(child, "stdout"), collect(child, "stderr")];
  const [code] = await once(child, "close");
  return { code, stdout: stdout(), stderr: stderr() };
}

const ownResolver = `
mount -t tmpfs none /mnt && echo nameserver 127.0.0.1 >/mnt/resolv.conf
mount --bind /mnt/resolv.conf /etc/resolv.conf || exit 99`;

function collect(child: ChildProcess, name: "stdout" | "stderr"): () => string {
  const chunks: Buffer[] = [];
  child[name]?.on("data", (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString();
}
