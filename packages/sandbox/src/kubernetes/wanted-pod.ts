import { posix } from "node:path";
import type { V1Pod } from "@kubernetes/client-node";
import type { SandboxFiles } from "../host/sandbox-files.ts";
import { modeOf } from "../inside/mounts.ts";
import type { SandboxSpec } from "../interface/spec.ts";
import { CONTENTS } from "./content-places.ts";
import { digestOf, noteMadeWith } from "./made-with.ts";
import { mergePatch } from "./merge-patch.ts";
import { podBody } from "./pod-body.ts";
import { objectName } from "./pod-disks.ts";
import type { PodHost } from "./pod-host.ts";
import { ofSnapshot } from "./pod-of-snapshot.ts";
import { partsOf } from "./pod-parts.ts";
import type { Sent } from "./send-files.ts";

/** The files of `PodHost.directory` that every pod receives. */
export const SHARED_FILES = ["etc", "programs", "commands", "filter-x86_64", "filter-aarch64"] as const;

/** The files of a sandbox's directory that its pod has even without a session's contents. */
const OWN_FILES = ["pipes", "passwd", "group"] as const;

/** The pod that a sandbox needs. */
export interface WantedPod {
  body: V1Pod;
  /** Files that it receives when it is made. */
  sent: readonly Sent[];
  /** Host directory with the contents that the session brings, and their digest. */
  contents: { directory: string; digest: string };
  /** Its writable directories; `host` is the path on the disk. */
  writable: ReturnType<typeof writableOf>;
}

/**
 * Describes the pod of a sandbox, and makes the volume of its disk.
 *
 * @param directory Directory of the sandbox, with its files.
 * @param isForPool Whether it belongs to no session yet, so that no session's contents are sent to it.
 */
export async function wantPod(
  host: PodHost,
  spec: SandboxSpec,
  directory: string,
  files: SandboxFiles,
  isForPool = false,
): Promise<WantedPod> {
  const { disks, owner, shared } = host;
  const { id, disk, diskSource, epoch, limits, temporaryDisk = false, uid } = spec;
  const sent = [
    { directory: host.directory, names: SHARED_FILES },
    { directory, names: [...OWN_FILES, ...CONTENTS] },
  ];
  const digest = await digestOf({ directory, names: CONTENTS });
  const name = epoch === undefined ? ownPodName(id, owner) : podName(disk);
  const claim = temporaryDisk
    ? null
    : await disks.ensure(disk, limits.diskBytes, { epoch, source: diskSource });
  const writable = writableOf(files);
  const body = patched(host, podBody(partsOf(host, spec, { ...files, writable }, { name, claim })));
  const own = await digestOf({ directory, names: OWN_FILES });
  const noted = noteMadeWith(body, limits, [shared, own], isForPool ? "" : digest);
  return {
    sent,
    contents: { directory, digest },
    body: diskSource === undefined ? noted : ofSnapshot(noted, uid, host),
    writable,
  };
}

/** Returns the pod with the operator's patch applied. */
export function patched({ patch }: Pick<PodHost, "patch">, body: V1Pod): V1Pod {
  return patch === null ? body : (mergePatch(body, patch) as V1Pod);
}

/** Returns the name of a pod that belongs to no session, and so to one engine alone. */
export function ownPodName(id: string, owner: string): string {
  return objectName(id, `${id} ${owner}`);
}

/** Returns the name of a session's pod, after its disk: whoever holds the disk holds the pod. */
export function podName(disk: string): string {
  return objectName(disk, disk);
}

/** Returns writable directories with their modes; `host` is the path on the disk. */
export function writableOf({ writable }: Pick<SandboxFiles, "writable">) {
  return writable.map((mount) => ({
    host: posix.relative("/", mount.host),
    inside: mount.inside,
    mode: modeOf(mount),
  }));
}
