import { join } from "node:path";
import { canaryVariables, hostProcesses, neighbourScript, type ProbeVariables } from "@berth/sandbox/probes";
import type { Api } from "../../acceptance/harness/api.ts";
import type { Berth } from "../../acceptance/harness/berth.ts";
import { bash, makeSession, steps, toolResults } from "../../acceptance/harness/fixtures.ts";
import { readEventsUntil } from "../../acceptance/harness/stream.ts";

const MAX_SECONDS = 100;

/** Another session of the service, whose sandbox contains data that the probes must not find. */
export interface NeighbourSession {
  variables: ProbeVariables;
  end(): Promise<void>;
}

/** Starts a neighbour session. Its turn outlasts the probes, unless `end` is called. */
export async function startNeighbour(berth: Berth, api: Api, tag: string): Promise<NeighbourSession> {
  const { id } = await makeSession(api);
  const start = `(${neighbourScript(tag, "/data")}) >said 2>&1 </dev/null &
for i in $(seq 3000); do grep -q ready said && break; sleep 0.01; done; cat said`;
  const message = steps(bash(start), bash(`sleep ${MAX_SECONDS}`));
  await api.ok("POST", `/sessions/${id}/events`, { events: [message] });
  const events = await readEventsUntil(api, id, ({ type }) => type === "agent.tool_result");
  const [output = ""] = toolResults(events);
  const variables = canaryVariables(output);
  if (variables === null) throw new Error(`the neighbour did not start: ${output}`);
  return {
    variables: { ...variables, ...hostProcesses(tag), neighbour_disk: join(berth.dataDir, "sessions", id) },
    async end() {
      await api.ok("POST", `/sessions/${id}/events`, { events: [{ type: "user.interrupt" }] });
      await readEventsUntil(api, id, ({ type }) => type === "session.status_idle");
    },
  };
}
