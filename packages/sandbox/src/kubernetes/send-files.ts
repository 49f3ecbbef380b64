import { spawn } from "node:child_process";
import { once } from "node:events";
import { pipeline } from "node:stream/promises";
import { PodLostError, SandboxError } from "../interface/errors.ts";
import type { Cluster } from "./cluster.ts";
import { CONTENTS } from "./content-places.ts";
import type { EntryAttempts } from "./egress/gateway-network.ts";
import { FILES, FILES_CONTAINER, READY } from "./pod-body.ts";
import { pipeNames } from "./pod-pipes.ts";

/** A host directory and the entries of it to send. */
export interface Sent {
  directory: string;
  names: readonly string[];
}

/** Unpacks the archive, makes the pipes, and lets the sandbox start. */
const UNPACK = `cd ${FILES} && tar -x -p -f - && (cd pipes && mkfifo -m 666 ${pipeNames().join(" ")}) && find content/* -type d -exec chmod 777 {} + && : >${READY}`;

/**
 * Sends a sandbox's files into its pod, as an archive on the standard input of a command there. Rejects with
 * `SandboxError`.
 */
export async function sendFiles(
  cluster: Cluster,
  pod: string,
  sent: readonly Sent[],
  attempts: EntryAttempts,
): Promise<void> {
  const process = await cluster.execSoon(pod, FILES_CONTAINER, ["/bin/sh", "-c", UNPACK], attempts);
  const archive = spawn(
    "tar",
    [
      "-c",
      "-f",
      "-",
      "--owner=0",
      "--group=0",
      `--transform=s,^\\(${CONTENTS.join("\\|")}\\)\\(/\\|$\\),content/&,SH`,
      ...sent.flatMap(({ directory, names }) => ["-C", directory, ...names]),
    ],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  const packed = once(archive, "close");
  // tar may fail while its output is still being sent.
  packed.catch(() => {});
  let errors = "";
  archive.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  // Not every cluster forwards the end of standard input, so the archive marks its own end.
  await pipeline(archive.stdout, process.input, { end: false });
  const [code, signal] = await packed;
  const exitCode = await process.exitCode;
  if (exitCode === null) throw new PodLostError("the connection to the pod was cut");
  if (code !== 0)
    throw new SandboxError("the files of the sandbox cannot be read", {
      cause: new Error(errors.trim() || `tar ended with ${signal ?? code}`),
    });
  if (exitCode !== 0)
    throw new SandboxError(`the files of the sandbox could not be unpacked: ${process.errors() || exitCode}`);
}
