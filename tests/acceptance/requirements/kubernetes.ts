import type { Requirement } from "./requirement.ts";

export const kubernetesRequirements: readonly Requirement[] = [
  {
    id: "kubernetes-sessions",
    source: "seed 1",
    rule: "On a Kubernetes cluster each session's sandbox is a pod: commands, uploaded files and outputs are as with every engine, and the disk takes what its limit says and no more.",
  },
  {
    id: "kubernetes-parked",
    source: "seed 1",
    rule: "An idle session has no pod; its next turn has the disk as it was. A deleted session leaves no volume.",
  },
  {
    id: "kubernetes-settings",
    source: "seed 1",
    rule: "The operator's settings decide on which nodes, with which runtime and with what else pods run.",
  },
  {
    id: "kubernetes-runtime-classes",
    source: "api 4",
    rule: "An environment can choose the runtime class of its pods among those that the operator allows (BERTH_KUBERNETES_RUNTIME_CLASSES, by default none); another, or one where sandboxes are no pods, is rejected with 400. When the cluster does not have it, the session reports a sandbox_error that names it.",
  },
  {
    id: "kubernetes-ephemeral",
    source: "api 4",
    rule: "With an ephemeral workspace an idle session has neither a pod nor a volume, and its disk takes what its limit says and no more.",
  },
  {
    id: "kubernetes-waits",
    source: "seed 1",
    rule: "A session whose pod has no node yet, or whose node has not got its images yet, waits for it: its status is rescheduling, and session.status_rescheduled has the words of the scheduler or the kubelet. It goes on by itself once both are there, takes no turn from other sessions meanwhile, and ends at once by an interrupt or when its runner stops.",
  },
  {
    id: "kubernetes-wait-over",
    source: "seed 1",
    rule: "After the operator's time (BERTH_KUBERNETES_SCHEDULE_SECONDS, BERTH_KUBERNETES_PULL_SECONDS) the call that waits fails, with the same words in a sandbox_error. The next one waits anew.",
  },
  {
    id: "kubernetes-no-node-told",
    source: "seed 1",
    rule: "While no node takes any pod of a sandbox, runners are not ready, and their log and the doctor have the scheduler's words. Where only other sessions have the room, they are ready.",
  },
  {
    id: "kubernetes-printed-output",
    source: "issue 26, 5",
    rule: "What a command in a pod printed is in its result: until some seconds before when the runner or its machine was lost, and all that was shown when the pod was.",
  },
  {
    id: "kubernetes-takeover",
    source: "seed 1",
    rule: "When a runner is killed or hangs in the middle of a turn, its running call is interrupted, and another runner goes on with the session's disk, in the same pod where that still fits. Nothing that ran in the pod before runs on, neither the call nor what earlier calls left in the background. The former runner, when it comes back, changes nothing of the pod.",
  },
  {
    id: "kubernetes-handed-over",
    source: "seed 1",
    rule: "A runner that is stopped in the middle of a turn leaves the pod to the runner that goes on with the turn. A pod with which no runner goes on is removed, and one of a deleted session with its volume.",
  },
  {
    id: "kubernetes-warm-pods",
    source: "seed 1",
    rule: "With BERTH_KUBERNETES_WARM_PODS a new session begins in a pod that was made before, which no other session ever had, with its own files; another one takes its place. All runners together keep as many as the setting says. A session for which none fits, or none is left, begins in a pod of its own.",
  },
  {
    id: "kubernetes-warm-pods-lost",
    source: "seed 1",
    rule: "A warm pod or its volume that is deleted, and a runner that is killed while it makes one, takes one or runs a turn in one, cost no session more than the start of a pod; no session has two. Where the setting is 0, nothing of a former pool is left.",
  },
  {
    id: "kubernetes-warm-pods-room",
    source: "seed 1",
    rule: "Where a ResourceQuota or the nodes have no room for another pod, warm pods give their places to sessions that need one of their own, and can be taken as ever.",
  },
  {
    id: "kubernetes-main-job",
    source: "seed 1",
    rule: "berth run does the main job in a pod: a private repository over TLS is read, edited, committed and pushed, and a pull request is opened and printed. With credentials put in at the gateway nothing in the pod has one, and a denied host is told as an event.",
  },
  {
    id: "kubernetes-gateway-killed",
    source: "seed 1",
    rule: "When an egress gateway is killed, connections through it are cut, and new ones pass through another; the session's commands go on.",
  },
  {
    id: "kubernetes-kubelet-killed",
    source: "seed 1",
    rule: "When the kubelet of a session's pod is killed, the running call is told once to have been cut off and everything else is done once; turns that begin meanwhile wait until it is back.",
  },
  {
    id: "kubernetes-control-plane-killed",
    source: "seed 1",
    rule: "When the API server and its etcd are killed, the running call is told once to have been cut off and everything else is done once; turns that begin meanwhile wait until they are back.",
  },
  {
    id: "kubernetes-many-pods",
    source: "seed 1",
    rule: "Two dozen sessions of one node have their pods at the same time, and none is left when they are idle.",
  },
  {
    id: "kubernetes-drain",
    source: "seed 1",
    rule: "A node that is drained parks its sessions: the running call is told once to have been cut off, and the next one has the session's disk in a pod of another node.",
  },
  {
    id: "kubernetes-node-lost",
    source: "seed 1",
    rule: "A node that is lost costs its turns their running calls, told once, and never the log or a disk: once the node is deleted they go on elsewhere. A session that is given a warm pod there begins elsewhere at once.",
  },
  {
    id: "kubernetes-snapshots",
    source: "seed 1",
    rule: "With a class of volume snapshots (BERTH_KUBERNETES_SNAPSHOT_CLASS), a session whose organization has had the same repositories before begins on a disk that is made of a snapshot, with the newest commits of the host, and can push. Nothing of the session that the snapshot was taken of is on it but the repositories. Another organization never gets it. With warm pods as well, it is so only of repositories that took at least ten seconds to clone.",
  },
  {
    id: "kubernetes-snapshot-access",
    source: "seed 3",
    rule: "A session begins on a disk that is made of a snapshot only after its own credential has listed the refs of all its repositories. When the credential is refused, before that or after, the error is that of a clone and nothing of the repository is on the disk, also when the runner is killed in between.",
  },
  {
    id: "kubernetes-snapshot-lost",
    source: "seed 1",
    rule: "When no disk can be made of a snapshot, since it is gone or the cluster makes no volume of it, the session clones onto an empty disk, without an error, and no volume is left over.",
  },
];
