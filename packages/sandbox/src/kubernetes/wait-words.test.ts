import assert from "node:assert/strict";
import { test } from "node:test";
import type { CoreV1Event, V1ContainerStatus, V1Pod } from "@kubernetes/client-node";
import { PodLostError } from "../interface/errors.ts";
import { PhaseClock, phaseOf } from "./phase-clock.ts";
import { throwIfFailed } from "./pod-status.ts";
import { durationWords, nodeWords, oneLine, pullFault, schedulerWords } from "./wait-words.ts";

const waits = (reason: string, message?: string): V1ContainerStatus => ({
  name: "sandbox",
  image: "acme/image:1",
  imageID: "",
  ready: false,
  restartCount: 0,
  state: { waiting: { reason, ...(message !== undefined && { message }) } },
});
const runs: V1ContainerStatus = { ...waits(""), state: { running: {} } };
const ended: V1ContainerStatus = { ...waits(""), state: { terminated: { exitCode: 0 } } };

function onNode(first: V1ContainerStatus[], others: V1ContainerStatus[]): V1Pod {
  return {
    spec: { containers: [], nodeName: "node1" },
    status: { initContainerStatuses: first, containerStatuses: others },
  };
}

const event = (reason: string, message: string, second: number): CoreV1Event => ({
  involvedObject: {},
  metadata: {},
  reason,
  message,
  lastTimestamp: new Date(second * 1_000),
});

test("phaseOf: without a node it is placed; a container that does not run yet is prepared; the next init container counts before all others", () => {
  assert.equal(phaseOf({}), "placing");
  assert.equal(phaseOf({ spec: { containers: [], nodeName: "" } }), "placing");
  assert.equal(phaseOf({ spec: { containers: [], nodeName: "node1" } }), "preparing");
  const pulled = waits("PodInitializing");
  assert.equal(phaseOf(onNode([runs], [pulled])), "starting");
  assert.equal(phaseOf(onNode([ended], [pulled, runs])), "preparing");
  assert.equal(phaseOf(onNode([ended], [runs, runs])), "starting");
});

test("PhaseClock: each phase has its own time, also when the pod comes into it again", () => {
  let now = 0;
  const clock = new PhaseClock(() => now);
  now = 10;
  clock.enter("preparing");
  now = 15;
  assert.deepEqual([clock.spentMs, clock.waitedMs], [5, 15]);
  clock.enter("starting");
  now = 18;
  assert.deepEqual([clock.spentMs, clock.waitedMs], [3, 0]);
  clock.enter("preparing");
  now = 20;
  assert.deepEqual([clock.spentMs, clock.waitedMs], [7, 2]);
});

test("pullFault: while the kubelet pauses, why the attempt before failed is kept", () => {
  const failed = pullFault(onNode([], [waits("ErrImagePull", "rpc error:\n 503")]), null);
  assert.deepEqual(failed, { image: "acme/image:1", words: "ErrImagePull: rpc error: 503" });
  const pausing = onNode([], [waits("ImagePullBackOff", "Back-off")]);
  assert.equal(pullFault(pausing, failed), failed);
  assert.equal(pullFault(pausing, null)?.words, "ImagePullBackOff: Back-off");
  assert.equal(pullFault(onNode([], [runs]), failed), null);
});

test("words: those of the condition, else of the newest event, else that nothing was said", () => {
  const unplaced = (message: string): V1Pod => ({
    status: { conditions: [{ type: "PodScheduled", status: "False", message }] },
  });
  const events = [event("Pulling", 'Pulling image "a"', 2), event("Scheduled", "assigned", 1)];
  assert.equal(schedulerWords(unplaced("0/1 nodes"), events), "0/1 nodes");
  assert.equal(schedulerWords({}, [event("FailedScheduling", "no nodes", 1)]), "no nodes");
  assert.equal(schedulerWords({}, []), "");
  assert.equal(nodeWords({}, events), 'Pulling: Pulling image "a"');
  assert.equal(nodeWords(onNode([], [waits("ContainerCreating")]), []), "ContainerCreating");
  const unmade = onNode([runs], [waits("CreateContainerConfigError", 'configmap "a"\nnot found')]);
  assert.equal(nodeWords(unmade, events), 'CreateContainerConfigError: configmap "a" not found');
  assert.equal(nodeWords({}, []), "its node has said nothing yet");
  assert.deepEqual([60_000, 600_000, 90_000, 1_000].map(durationWords), [
    "1 minute",
    "10 minutes",
    "90 seconds",
    "1 second",
  ]);
  assert.equal(oneLine("a".repeat(600)).length, 500);
});

test("throwIfFailed: what a node rejects or evicts another one may take; an end of its own is the pod's", () => {
  for (const reason of ["OutOfcpu", "OutOfpods", "Evicted", "NodeAffinity", "UnexpectedAdmissionError"])
    assert.throws(() => throwIfFailed({ status: { phase: "Failed", reason } }), PodLostError);
  for (const reason of ["", "DeadlineExceeded"])
    assert.throws(
      () => throwIfFailed({ status: { phase: "Failed", reason } }),
      (error) => !(error instanceof PodLostError),
    );
  for (const reason of ["ErrImagePull", "ImagePullBackOff"])
    throwIfFailed(onNode([], [waits(reason, "503")]));
  for (const reason of ["CreateContainerError", "CreateContainerConfigError"])
    throwIfFailed(onNode([waits(reason, "not there yet")], []));
  for (const reason of ["InvalidImageName", "ErrImageNeverPull", "RunContainerError"])
    assert.throws(() => throwIfFailed(onNode([], [waits(reason)])), /cannot be run/);
});
