import { basename, posix } from "node:path";
import type { V1Pod } from "@kubernetes/client-node";
import type { SandboxFiles } from "../host/sandbox-files.ts";
import { BUNDLE } from "../inside/environment.ts";
import { modeOf } from "../inside/mounts.ts";
import type { SandboxSpec } from "../interface/spec.ts";
import { digestOf, noteMadeWith } from "./made-with.ts";
import { mergePatch } from "./merge-patch.ts";
import { EPOCH, FILTERS_INSIDE, INSTANCE, OWNER, podBody, SANDBOX } from "./pod-body.ts";
import { objectName } from "./pod-disks.ts";
import type { PodHost } from "./pod-host.ts";
import { ofSnapshot } from "./pod-of-snapshot.ts";
import { CONTENTS, type Sent } from "./send-files.ts";

/** The files of `PodHost.directory` that every pod is sent. */
export const SHARED_FILES = ["etc", "programs", "commands", "filter-x86_64", "filter-aarch64"] as const;

/** The pod that a sandbox wants. */
export interface WantedPod {
  body: V1Pod;
  /** What is sent to it when it is made. */
  sent: readonly Sent[];
  /** Its writable directories; `host`: the path on the disk. */
  writable: ReturnType<typeof writableOf>;
}

/**
 * Says what the pod of a sandbox is made of, and makes the volume of its disk.
 *
 * @param directory of the sandbox, with its files.
 */
export async function wantPod(
  host: PodHost,
  spec: SandboxSpec,
  directory: string,
  files: SandboxFiles,
): Promise<WantedPod> {
  const sent = sentOf(host, directory, files);
  return { sent, body: await bodyOf(host, spec, files, sent), writable: writableOf(files) };
}

async function bodyOf(
  host: PodHost,
  spec: SandboxSpec,
  files: SandboxFiles,
  sent: readonly Sent[],
): Promise<V1Pod> {
  const { disks, owner, patch, shared } = host;
  const { id, disk, diskSource, epoch, limits, temporaryDisk = false } = spec;
  const name = epoch === undefined ? ownPodName(id, owner) : objectName(id, id);
  const claim = temporaryDisk ? null : await disks.ensure(disk, limits.diskBytes, diskSource);
  const body = podBody(partsOf(host, spec, files, { name, claim }));
  const patched = patch === null ? body : (mergePatch(body, patch) as V1Pod);
  const contents = sent.filter(({ directory }) => directory !== host.directory).map(digestOf);
  const noted = noteMadeWith(patched, limits, [shared, ...(await Promise.all(contents))]);
  return diskSource === undefined ? noted : ofSnapshot(noted, spec.uid, host);
}

/** Of a sandbox that belongs to no session, and so to one engine alone. */
export function ownPodName(id: string, owner: string): string {
  return objectName(id, `${id} ${owner}`);
}

/** `host`: the path on the disk. */
function writableOf({ writable }: SandboxFiles) {
  return writable.map((mount) => ({
    host: posix.relative("/", mount.host),
    inside: mount.inside,
    mode: modeOf(mount),
  }));
}

function partsOf(
  host: PodHost,
  spec: SandboxSpec,
  files: SandboxFiles,
  { name, claim }: { name: string; claim: string | null },
) {
  return {
    name,
    claim,
    labels: {
      [INSTANCE]: host.instance,
      [OWNER]: host.owner,
      [SANDBOX]: spec.id,
      ...(spec.epoch === undefined ? {} : { [EPOCH]: String(spec.epoch) }),
    },
    image: spec.image ?? host.defaultImage,
    serverImage: host.serverImage,
    imagePullPolicy: host.imagePullPolicy,
    settings: { ...host.settings, runtimeClass: spec.runtimeClass ?? host.settings.runtimeClass },
    network: host.network.parts(spec),
    uid: spec.uid,
    limits: spec.limits,
    writable: writableOf(files),
    readOnly: [
      ...[
        { path: files.gitConfig === null ? "etc/gitconfig" : "gitconfig", inside: "/etc/gitconfig" },
        { path: "etc/hosts", inside: "/etc/hosts" },
        { path: "etc/resolv.conf", inside: "/etc/resolv.conf" },
        { path: "passwd", inside: "/etc/passwd" },
        { path: "group", inside: "/etc/group" },
        { path: "etc/ca-certificates.crt", inside: BUNDLE },
        { path: "filter-x86_64", inside: `${FILTERS_INSIDE}/filter-x86_64` },
        { path: "filter-aarch64", inside: `${FILTERS_INSIDE}/filter-aarch64` },
        { path: "commands/filter-syscalls", inside: `${FILTERS_INSIDE}/filter-syscalls` },
      ].map((mount) => ({ volume: "files" as const, ...mount })),
      ...[
        ...files.files.map(({ host: path, inside }) => ({ path: `files/${basename(path)}`, inside })),
        ...files.directories.map(({ inside }, index) => ({ path: `directories/${index}`, inside })),
      ].map((mount) => ({ volume: "content" as const, ...mount })),
    ],
  };
}

function sentOf(host: PodHost, directory: string, files: SandboxFiles): Sent[] {
  const own = [
    ...[...CONTENTS, "pipes", "passwd", "group"],
    ...(files.gitConfig === null ? [] : ["gitconfig"]),
  ];
  return [
    { directory: host.directory, names: SHARED_FILES },
    { directory, names: own },
  ];
}
