import { basename } from "node:path";
import type { SandboxFiles } from "../host/sandbox-files.ts";
import { ETC_PATHS } from "../inside/etc-files.ts";
import type { Mount } from "../inside/mounts.ts";
import type { SandboxSpec } from "../interface/spec.ts";
import { commonParents, commonPath, GIT_INSIDE, placeOf } from "./content-places.ts";
import { EPOCH, FILTERS_INSIDE, INSTANCE, OWNER, type PodOptions, SANDBOX } from "./pod-body.ts";
import type { PodHost } from "./pod-host.ts";

/** The mounts of a sandbox besides those that all sandboxes have. */
export interface PodFiles extends Pick<SandboxFiles, "files" | "directories"> {
  writable: readonly (Mount & { mode: number })[];
}

/** Returns the parts of a sandbox's pod. */
export function partsOf(
  host: PodHost,
  spec: SandboxSpec,
  files: PodFiles,
  { name, claim }: { name: string; claim: string | null },
): PodOptions {
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
    writable: files.writable,
    readOnly: [
      ...OF_ALL.map((mount) => ({ volume: "files" as const, ...mount })),
      ...contentMounts(files).map((mount) => ({ volume: "content" as const, ...mount })),
    ],
  };
}

const OF_ALL = [
  { path: "etc/gitinclude", inside: "/etc/gitconfig" },
  ...ETC_PATHS.map((inside) => ({ path: inside.slice(1), inside })),
  { path: "passwd", inside: "/etc/passwd" },
  { path: "group", inside: "/etc/group" },
  { path: "filter-x86_64", inside: `${FILTERS_INSIDE}/filter-x86_64` },
  { path: "filter-aarch64", inside: `${FILTERS_INSIDE}/filter-aarch64` },
  { path: "commands/filter-syscalls", inside: `${FILTERS_INSIDE}/filter-syscalls` },
];

/** Returns the mounts of contents, parents first, since something else may be mounted below one. */
function contentMounts({ writable, files, directories }: PodFiles): { path: string; inside: string }[] {
  const parents = commonParents(writable.map(({ inside }) => inside));
  return [
    { path: "git", inside: GIT_INSIDE },
    ...parents.map((inside) => ({ path: commonPath(inside), inside })),
    ...files.map(({ host: path, inside }) => ({ path: `files/${basename(path)}`, inside })),
    ...directories.flatMap(({ inside }, index) => {
      const { path, isCommon } = placeOf(inside, index);
      return isCommon ? [] : [{ path, inside }];
    }),
  ];
}
