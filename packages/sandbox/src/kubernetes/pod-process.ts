import { PassThrough, type Readable, type Writable } from "node:stream";
import type { Exec } from "@kubernetes/client-node";

/** A process in a container of a pod. */
export interface PodProcess {
  input: Writable;
  output: Readable;
  /** Returns the beginning of its standard error. */
  errors(): string;
  /** Resolves with null when the connection ended before the process. */
  exitCode: Promise<number | null>;
}

/** A command and the container in which to start it. */
export interface PodCommand {
  pod: string;
  container: string;
  command: readonly string[];
}

const MAX_ERROR_CHARACTERS = 2_000;

/** Starts a process in a running container. Rejects when the container does not run. */
export async function startProcess(
  exec: Exec,
  namespace: string,
  { pod, container, command }: PodCommand,
): Promise<PodProcess> {
  const [input, output, errorStream] = [new PassThrough(), new PassThrough(), new PassThrough()];
  for (const stream of [input, output, errorStream]) stream.on("error", () => {});
  let errors = "";
  errorStream.setEncoding("utf8").on("data", (text: string) => {
    if (errors.length < MAX_ERROR_CHARACTERS) errors += text;
  });
  const exitCode = Promise.withResolvers<number | null>();
  const socket = await exec.exec(
    namespace,
    pod,
    container,
    [...command],
    output,
    errorStream,
    input,
    false,
    (status) => exitCode.resolve(exitCodeOf(status)),
  );
  socket.on("error", () => output.destroy());
  socket.on("close", () => {
    exitCode.resolve(null);
    output.destroy();
  });
  output.once("close", () => socket.close());
  return { input, output, errors: () => errors.trim(), exitCode: exitCode.promise };
}

function exitCodeOf({
  status,
  details,
}: {
  status?: string;
  details?: { causes?: { reason?: string; message?: string }[] };
}): number {
  if (status === "Success") return 0;
  const cause = details?.causes?.find(({ reason }) => reason === "ExitCode");
  return Number(cause?.message ?? 1);
}
