import { setTimeout as delay } from "node:timers/promises";
import { Supervisor } from "../commands/supervisor.ts";
import { SandboxError } from "../interface/errors.ts";
import type { SandboxSpec } from "../interface/spec.ts";
import type { PodId } from "./cluster.ts";
import type { EntryAttempts } from "./egress/gateway-network.ts";
import { endProcesses } from "./end-processes.ts";
import { PipeConnection } from "./pipe-connection.ts";
import type { TakenPod } from "./placer.ts";
import { SERVER_CONTAINER, serverCommand } from "./pod-body.ts";
import type { PodHost } from "./pod-host.ts";
import { PodPipes } from "./pod-pipes.ts";
import type { PodProcess } from "./pod-process.ts";
import { PodStart } from "./pod-start.ts";
import { PodView } from "./pod-view.ts";
import { ProcessOne } from "./process-one.ts";
import { epochOf } from "./remove-held.ts";
import { sendContents } from "./send-contents.ts";
import { type Sent, sendFiles } from "./send-files.ts";
import type { WantedPod } from "./wanted-pod.ts";

/** Maximum milliseconds to wait for a node when the spec has no `onWaiting`. */
const UNTOLD_PLACE_MS = 90_000;
/**
 * Milliseconds after which a pool pod that does not respond is given up: its node may be lost, and another
 * pod is faster.
 */
const POOL_TIMEOUT_MS = 10_000;

/** A sandbox that is being opened. */
export interface Opening extends WantedPod {
  host: PodHost;
  spec: SandboxSpec;
  /** Receives the steps that undo everything when opening fails. */
  undo: (() => Promise<unknown>)[];
}

/** A pod whose process 1 responds and is the only process. */
export interface BegunPod {
  pod: PodId;
  /** Whether the pod already ran. */
  wasThere: boolean;
  connection: PipeConnection;
  processOne: ProcessOne;
  supervisor: Supervisor;
  pipes: PodPipes;
  view: PodView;
  /** Set for a new pod, which is watched until this is ended. */
  start?: PodStart;
}

/** Starts a pod, or adopts that of an earlier lease or of the pool when it fits. */
export async function beginPod(opening: Opening): Promise<BegunPod> {
  const { host, body, spec, undo } = opening;
  let pod = await host.placer.take(body);
  undo.push(() => host.placer.remove(pod, epochOf(body), false));
  if (!pod.isNew) {
    const adopted = await adopt(opening, pod).catch((error: unknown) => {
      // The disk is empty, so another disk is faster than finding out whether this one's node is lost.
      if (spec.fromPool) throw new SandboxError("a pod of the pool cannot be taken", { cause: error });
      host.log({ msg: "a pod cannot be gone on with", sandbox: spec.id, error: String(error) });
      return null;
    });
    if (adopted !== null) return adopted;
    pod = await host.placer.replace(pod, body);
  }
  return await beginNew(opening, pod);
}

/** Adopts an existing pod. Returns null when its contents differ from what the sandbox needs. */
async function adopt(opening: Opening, pod: TakenPod): Promise<BegunPod | null> {
  const { host, spec, contents } = opening;
  const connection = await PipeConnection.open(await startServer(host, pod, spec));
  try {
    const has = connection.noted ?? pod.contents;
    if (connection.wasChanged || (has !== "" && has !== contents.digest)) {
      connection.close();
      return null;
    }
    const begun = superviseOver(connection, opening, pod, true);
    await endProcesses(begun.processOne, begun.supervisor, begun.view);
    if (has === "") await sendContents(connection, contents.directory, contents.digest);
    opening.undo.push(() => connection.undo());
    return begun;
  } catch (error) {
    connection.close();
    throw error;
  }
}

/**
 * Starts the server in an existing pod.
 *
 * @throws SandboxError when a pod of the pool does not respond soon.
 */
async function startServer(
  { cluster }: PodHost,
  { name }: PodId,
  { epoch = 0, fromPool = false }: SandboxSpec,
): Promise<PodProcess> {
  const starting = cluster.exec(name, SERVER_CONTAINER, serverCommand(epoch));
  if (!fromPool) return await starting;
  const started = await Promise.race([starting, delay(POOL_TIMEOUT_MS, null, { ref: false })]);
  if (started !== null) return started;
  void starting.then(({ output }) => output.destroy()).catch(() => {});
  throw new SandboxError("a pod of the pool does not answer");
}

/**
 * Connects to the server of a new pod's pipes, once the sandbox's files are in place. The pod is still
 * watched.
 */
export async function beginNew(opening: Opening, pod: PodId): Promise<BegunPod> {
  const { host, spec, sent, undo } = opening;
  const { placeMs, imageMs } = host.times;
  const isTold = spec.onWaiting !== undefined;
  const times = { placeMs: isTold ? placeMs : Math.min(placeMs, UNTOLD_PLACE_MS), imageMs };
  const start = new PodStart(host.cluster, pod, times, spec);
  undo.push(async () => start.end());
  const connecting = connectTo(host, pod.name, spec, sent, start);
  connecting.catch(() => {});
  if (spec.diskSource !== undefined)
    await start.orFailed(host.disks.untilFilled(spec.disk, () => start.isUnplaced));
  const connection = await start.orFailed(connecting);
  undo.push(() => connection.undo());
  const begun = superviseOver(connection, opening, pod, false);
  if (!(await start.orFailed(begun.supervisor.ready)))
    throw new SandboxError("process 1 of the pod did not start");
  return { ...begun, start };
}

async function connectTo(
  { cluster }: PodHost,
  pod: string,
  { epoch = 0 }: SandboxSpec,
  sent: readonly Sent[],
  attempts: EntryAttempts,
): Promise<PipeConnection> {
  await sendFiles(cluster, pod, sent, attempts);
  return await PipeConnection.open(
    await cluster.execSoon(pod, SERVER_CONTAINER, serverCommand(epoch), attempts),
  );
}

function superviseOver(
  connection: PipeConnection,
  { host, spec, writable }: Opening,
  pod: PodId,
  wasThere: boolean,
): BegunPod {
  const processOne = new ProcessOne(connection);
  const unresponsive = () => {
    host.log({ msg: "process 1 of a sandbox does not respond", sandbox: spec.id });
    connection.close("process 1 does not respond");
  };
  const supervisor = new Supervisor(processOne, unresponsive);
  processOne.output.once("close", () => connection.close("process 1 has ended"));
  const pipes = new PodPipes(connection);
  const view = new PodView({ supervisor, pipes, connection, writable });
  return { pod, wasThere, connection, processOne, supervisor, pipes, view };
}
