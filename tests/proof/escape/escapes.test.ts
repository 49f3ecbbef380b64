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
import { type CreationPath, creationPaths, type Scene } from "./creation-paths.ts";
import { wakeNeighbour } from "./neighbour-session.ts";
import { type Repository, startRepository } from "./repository.ts";

/**
 * The escape probes, run by the agent of a session, on every way by which its sandbox comes to be. None succeeds. What they are:
 * `packages/sandbox/src/probes`.
 */
describe("no escape probe succeeds", {
  skip: process.getuid?.() === 0 ? false : "without root isolation is weaker",
}, () => {
  let canaries: Canaries;
  let repository: Repository;
  before(async () => {
    canaries = await startHostCanaries();
    repository = await startRepository();
  });
  after(() => Promise.all([canaries.close(), repository.close()]));

  for (const [name, path] of Object.entries(creationPaths))
    test(`in a sandbox that is ${name}`, { timeout: 300_000, skip: path.lack ?? false }, async (context) => {
      const dataDir = await path.dataDir?.();
      const berth = await Berth.start({
        settings: { ...repository.settings, ...path.settings },
        ...(dataDir === undefined ? {} : { dataDir }),
      });
      try {
        const output = await probed({ berth, api: await berth.client(), repository }, canaries, path);
        checkWay(output, path, repository);
        const all = readProbes(output, ALL_PROBES);
        const loose = all.filter(({ state }) => state !== "held");
        assert.deepEqual(
          loose.map(({ probe, state, detail }) => `${probe.id} ${state}: ${detail}`),
          [],
        );
        context.diagnostic(`${all.length} probes held`);
      } finally {
        await berth.stop();
      }
    });
});

const SCRIPT = "/mnt/session/uploads/probes.sh";

/** What the probes, run by the agent, print, after what tells whether the sandbox came to be that way. */
async function probed(scene: Scene, canaries: Canaries, path: CreationPath): Promise<string> {
  const { berth, api, repository } = scene;
  const session = await probedSession(scene, canaries, path);
  await path.prepare?.(scene, session);
  const neighbour = await wakeNeighbour(berth, api, canaries.tag);
  const variables = Object.entries(neighbour.variables);
  const given = variables.map(([key, value]) => `${key}=${value}`).join(" ");
  const marks = "for mark in /tmp/mark /data/mark; do test -e $mark; echo mark:$?; done";
  const witness = path.witness?.(repository).command ?? "true";
  const command = `${marks}; echo "witness:$(${witness}):"; ${given} sh ${SCRIPT} 2>&1`;
  const [output = ""] = toolResults(await runTurn(api, session, bash(command)));
  await neighbour.end();
  return output;
}

function checkWay(output: string, { left, witness }: CreationPath, repository: Repository): void {
  const marked = [...output.matchAll(/^mark:(\d)$/gm)].map(([, code]) => code === "0");
  assert.deepEqual(marked, [left.scratch, left.data], output.slice(0, 500));
  const said = /^witness:([^:]*):$/m.exec(output)?.[1] ?? "";
  assert.match(said, witness?.(repository).prints ?? /^$/);
}

/** A session without a sandbox yet, with a file, a skill, and the text of the probes. */
async function probedSession(scene: Scene, canaries: Canaries, path: CreationPath): Promise<string> {
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
