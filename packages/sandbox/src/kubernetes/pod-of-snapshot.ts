import type { V1Container, V1Pod } from "@kubernetes/client-node";
import { DISK } from "./pod-body.ts";

interface Image {
  serverImage: string;
  imagePullPolicy: string;
}

/**
 * The pod of a disk that was just made of a snapshot, in which an init container gives the files to the agent: the session of the snapshot
 * had another user id. The kubelet changes none of them: with an fsGroup it would add rights to each, and the root of the volume is made what
 * it is for the pods that follow.
 */
export function ofSnapshot(body: V1Pod, uid: number, image: Image): V1Pod {
  const { spec = { containers: [] } } = body;
  const { fsGroup, fsGroupChangePolicy, ...securityContext } = spec.securityContext ?? {};
  return {
    ...body,
    spec: {
      ...spec,
      securityContext: { ...securityContext, supplementalGroups: [uid] },
      initContainers: [ownerContainer(uid, image), ...(spec.initContainers ?? [])],
    },
  };
}

/** The files are those of clones in which no agent ran yet. */
export function ownerContainer(uid: number, { serverImage, imagePullPolicy }: Image): V1Container {
  return {
    name: "owner",
    image: serverImage,
    imagePullPolicy,
    command: [
      "/bin/sh",
      "-c",
      `chown -R -h ${uid}:${uid} ${DISK} && chown 0:${uid} ${DISK} && chmod 2775 ${DISK}`,
    ],
    volumeMounts: [{ name: "disk", mountPath: DISK }],
    securityContext: {
      runAsUser: 0,
      // Of the group, so that it may set the bit for it.
      runAsGroup: uid,
      runAsNonRoot: false,
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"], add: ["CHOWN", "DAC_OVERRIDE"] },
    },
    resources: { requests: { cpu: "50m", memory: "16Mi" }, limits: { cpu: "1", memory: "128Mi" } },
  };
}
