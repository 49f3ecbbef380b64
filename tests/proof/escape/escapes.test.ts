import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { allProbes, makeHostStage, probeScript, readProbes, type Stage } from "@berth/sandbox/probes";
import type { Api } from "../../acceptance/harness/api.ts";
import { Berth } from "../../acceptance/harness/berth.ts";
import {
  bash,
  makeAgent,
  makeFile,
  makeSession,
  makeSkill,
  results,
  turn,
} from "../../acceptance/harness/fixtures.ts";
import { creationPaths } from "./creation-paths.ts";
import { wakeNeighbour } from "./neighbour-session.ts";

/**
 * The escape probes, run by the agent of a session, on every way by which its sandbox comes to be. None succeeds. What they are:
 * `packages/sandbox/src/probes`.
 */
describe("no escape probe succeeds", {
  skip: process.getuid?.() === 0 ? false : "without root isolation is weaker",
}, () => {
  let stage: Stage;
  before(async () => {
    stage = await makeHostStage();
  });
  after(() => stage.close());

  for (const [name, { settings, prepare, left }] of Object.entries(creationPaths))
    test(`in a sandbox that is ${name}`, { timeout: 120_000 }, async (context) => {
      const berth = await Berth.start({ settings });
      try {
        const api = await berth.client();
        const session = await probedSession(api, berth, stage);
        await prepare({ berth, api, session });
        const neighbour = Object.entries(await wakeNeighbour(berth, api, stage.tag));
        const given = neighbour.map(([key, value]) => `${key}=${value}`).join(" ");
        const marks = "for mark in /tmp/mark /data/mark; do test -e $mark; echo mark:$?; done";
        const events = await turn(api, session, bash(`${marks}; ${given} sh ${SCRIPT} 2>&1`));
        const [output = ""] = results(events);
        const marked = [...output.matchAll(/^mark:(\d)$/gm)].map(([, code]) => code === "0");
        assert.deepEqual(marked, [left.scratch, left.data]);
        const all = readProbes(output, allProbes);
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

/** A session without a sandbox yet, with a file, a skill, and the text of the probes. */
async function probedSession(api: Api, berth: Berth, stage: Stage): Promise<string> {
  const variables = {
    ...stage.variables,
    service_directory: berth.dataDir,
    service_port: new URL(berth.url).port,
  };
  const script = await makeFile(api, probeScript(allProbes, variables), "probes.sh");
  const upload = await makeFile(api, "probed", "probe.txt");
  const skill = await makeSkill(api, "probe");
  const agent = await makeAgent(api, { skills: [{ type: "custom", skill_id: skill.id }] });
  const { id } = await makeSession(api, {
    agent: agent.id,
    resources: [
      { type: "file", file_id: script.id, mount_path: SCRIPT },
      { type: "file", file_id: upload.id, mount_path: "/mnt/session/uploads/probe.txt" },
    ],
  });
  return id;
}
