import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEgress, openCertificateAuthority } from "@berth/egress";
import {
  type EngineKind,
  startTestEngine,
  TEST_IMAGE,
} from "../../../tests/container-engine/container-engine.ts";
import { createDockerEngine } from "../src/docker/docker-engine.ts";
import { WORKSPACE_PROGRAMS } from "../src/workspace/repository/repository-environment.ts";
import type { Subject } from "./conformance/conformance.ts";

export interface TestSubject extends Subject {
  /** Socket of the container engine that the test started. */
  socket: string;
  instance: string;
  /** The `stateDir` of the sandbox engine. */
  stateDir: string;
}

/** Limits of all sandboxes of an engine together. */
export const SHARED_LIMITS = { memoryBytes: 4 * 1024 ** 3, pids: 2_000 };

/**
 * Starts a sandbox engine with its own container engine. No other test uses its uid, because the kernel
 * counts the processes of a uid over all containers of the machine.
 */
export async function startSubject(
  kind: EngineKind,
  allowPrivate: readonly string[] = [],
): Promise<TestSubject> {
  const directory = await mkdtemp(join(tmpdir(), "berth-engine-"));
  const { socket, close } = await startTestEngine(kind);
  const authority = await openCertificateAuthority(join(directory, "authority"));
  const egress = await createEgress({
    poolSize: 0,
    allowPrivate,
    mitm: { authority, trusted: [], errorPrefix: "Berth: " },
  });
  const [instance, stateDir] = [`test-${process.pid}`, join(directory, "state")];
  const certificates = [authority.certificate];
  const parts = { instance, socket, defaultImage: TEST_IMAGE, stateDir, egress, certificates };
  const options = { ...parts, programs: WORKSPACE_PROGRAMS, sharedLimits: SHARED_LIMITS };
  const engine = await createDockerEngine(options);
  return {
    engine,
    uid: (process.pid % 10_000) + 120_000,
    socket,
    instance,
    stateDir,
    async close() {
      await engine.close();
      await egress.close();
      await close();
      await rm(directory, { recursive: true });
    },
  };
}
