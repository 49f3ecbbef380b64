import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ALL_PROBES, type Canaries, probeScript, readProbes, startHostCanaries } from "@berth/sandbox/probes";
import type { Api } from "../../acceptance/harness/api.ts";
import { Berth } from "../../acceptance/harness/berth.ts";
import {
  bash,
  makeAgent,
  makeFile,
  makeSession,
  makeSkill,
  runTurn,
  toolResults,
} from "../../acceptance/harness/fixtures.ts";
import { notInSample } from "../../effort/effort.ts";
import { CREATION_PATHS, type CreationPath, type Scene } from "./creation-paths.ts";
import { startNeighbour } from "./neighbour-session.ts";
import { type Repository, startRepository } from "./repository.ts";

/**
 * Runs the escape probes of `packages/sandbox/src/probes` as a session's agent, for every way in which the
 * service creates sandboxes. No probe may succeed.
 */
describe("escape probes: none succeeds", {
  skip: process.getuid?.() === 0 ? false : "not root: isolation is weaker",
}, () => {
  let canaries: Canaries;
  let repository: Repository;
  before(async () => {
    canaries = await startHostCanaries();
    repository = await startRepository();
  });
  after(() => Promise.all([canaries.close(), repository.close()]));

  for (const [place, [name, path]] of Object.entries(CREATION_PATHS).entries()) {
    const skip = path.missing || notInSample(place, 2);
    test(`sandbox ${name}`, { timeout: 600_000, skip }, async (context) => {
      const berth = await Berth.start({
        settings: { ...repository.settings, ...path.settings },
      });
      try {
        const output = await runProbes({ berth, api: await berth.client(), repository }, canaries, path);
        checkCreationPath(output, path, repository);
        const all = readProbes(output, ALL_PROBES);
        const notHeld = all.filter(({ state }) => state !== "held");
        assert.deepEqual(
          notHeld.map(({ probe, state, detail }) => `${probe.id} ${state}: ${detail}`),
          [],
        );
        context.diagnostic(`${all.length} probes held`);
      } finally {
        await berth.stop();
      }
    });
  }
});

const SCRIPT = "/mnt/session/uploads/probes.sh";

/** Runs the verification of the creation path, then the probes, and returns their output. */
async function runProbes(scene: Scene, canaries: Canaries, path: CreationPath): Promise<string> {
  const { berth, api, repository } = scene;
  const session = await makeProbedSession(scene, canaries, path);
  await path.prepare?.(scene, session);
  const neighbour = await startNeighbour(berth, api, canaries.tag);
  const variables = Object.entries(neighbour.variables);
  const assignments = variables.map(([key, value]) => `${key}=${value}`).join(" ");
  const marks = "for mark in /dev/shm/mark /data/mark; do test -e $mark; echo mark:$?; done";
  const verification = path.verify?.(repository).command ?? "true";
  const command = `${marks}; echo "verify:$(${verification}):"; ${assignments} sh ${SCRIPT} 2>&1`;
  const [output = ""] = toolResults(await runTurn(api, session, bash(command)));
  await neighbour.end();
  return output;
}

function checkCreationPath(
  output: string,
  { remaining, verify }: CreationPath,
  repository: Repository,
): void {
  const marked = [...output.matchAll(/^mark:(\d)$/gm)].map(([, code]) => code === "0");
  assert.deepEqual(marked, [remaining.scratch, remaining.data], output.slice(0, 500));
  const verified = /^verify:([^:]*):$/m.exec(output)?.[1] ?? "";
  assert.match(verified, verify?.(repository).expected ?? /^$/);
}

/** Creates a session without a sandbox, with a file, a skill and the probe script. */
async function makeProbedSession(scene: Scene, canaries: Canaries, path: CreationPath): Promise<string> {
  const { berth, api } = scene;
  const variables = {
    ...canaries.variables,
    service_directory: berth.dataDir,
    service_port: new URL(berth.url).port,
  };
  const files = [
    await fileResource(api, probeScript(ALL_PROBES, variables), SCRIPT),
    await fileResource(api, "probed", "/mnt/session/uploads/probe.txt"),
  ];
  const skill = await makeSkill(api, "probe");
  const agent = await makeAgent(api, { skills: [{ type: "custom", skill_id: skill.id }] });
  const { resources = [], ...fields } = (await path.session?.(scene)) ?? {};
  const session = await makeSession(api, { agent: agent.id, ...fields, resources: [...files, ...resources] });
  return session.id;
}

async function fileResource(api: Api, text: string, path: string) {
  const file = await makeFile(api, text);
  return { type: "file", file_id: file.id, mount_path: path };
}
