import type { V1Container, V1Pod } from "@kubernetes/client-node";
import { DISK } from "./pod-body.ts";

interface Image {
  serverImage: string;
  imagePullPolicy: string;
}

/**
 * Returns the pod of a disk that was just made from a snapshot. An init container gives the files to the
 * agent, because the snapshot's session had another uid. The pod has no fsGroup, with which the kubelet would
 * add permissions to every file. The init container sets the volume's root as the pods that follow expect it.
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

/**
 * Returns that init container. It is safe as root, because the files are those of clones in which no agent
 * has run yet.
 */
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
      // A member of the group, so that it may set the set-group-id bit.
      runAsGroup: uid,
      runAsNonRoot: false,
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"], add: ["CHOWN", "DAC_OVERRIDE"] },
    },
    resources: { requests: { cpu: "50m", memory: "16Mi" }, limits: { cpu: "1", memory: "128Mi" } },
  };
}
