import assert from "node:assert/strict";
import type { AnyJson } from "../harness/api.ts";
import { startBerth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import { bash, makeAgent, makeEnvironment, makeSession, runTurn, steps } from "../harness/fixtures.ts";
import { readEventsUntil } from "../harness/stream.ts";

const { api } = await startBerth({ settings: { BERTH_CLONE_RETRY_SECONDS: "0.05" } });

covers(
  ["session-outcomes"],
  "list sessions: by outcome, by failed clones and by last activity, across pages",
  async () => {
    const environment_id = (await makeEnvironment(api)).id;
    const make = (body: AnyJson = {}) => makeSession(api, { environment_id, ...body });
    const [done, failed, fresh, broken] = [
      await make(),
      await make(),
      await make(),
      await make({ resources: [{ type: "git_repository", url: "https://git.nowhere.example/acme/none" }] }),
    ];
    const asking = await makeAgent(api, {
      tools: [
        {
          type: "agent_toolset_20260401",
          configs: [{ name: "Bash", permission_policy: { type: "always_ask" } }],
        },
      ],
    });
    const waiting = await make({ agent: asking.id });
    await readEventsUntil(
      api,
      broken.id,
      ({ type, error }) => type === "session.error" && error.retry_status.type !== "retrying",
    );
    await runTurn(api, waiting.id, bash("true"));
    await runTurn(api, failed.id, { fail: "authentication" });
    await runTurn(api, done.id, { say: "Done." });

    const of = async (id: string) => (await api.ok("GET", `/sessions/${id}`)).last_turn;
    assert.deepEqual([await of(fresh.id), await of(broken.id)], [null, null]);
    const last = await of(done.id);
    assert.equal(last.outcome, "end_turn");
    assert.ok(Math.abs(Date.parse(last.ended_at) - Date.now()) < 600_000);
    assert.equal((await of(failed.id)).outcome, "retries_exhausted");
    assert.equal((await of(waiting.id)).outcome, "requires_action");
    const [repository] = (await api.ok("GET", `/sessions/${broken.id}`)).resources;
    assert.match(repository.error.message, /git\.nowhere\.example/);

    const list = async (query: string): Promise<string[]> => {
      const ids: string[] = [];
      for (let next: string | null = ""; next !== null; ) {
        const page: AnyJson = await api.ok(
          "GET",
          `/sessions?limit=2&environment_id=${environment_id}&${query}${next === "" ? "" : `&page=${next}`}`,
        );
        ids.push(...page.data.map(({ id }: AnyJson) => id));
        next = page.next_page;
      }
      return ids;
    };
    assert.deepEqual(await list("outcomes[]=end_turn&outcomes[]=retries_exhausted"), [failed.id, done.id]);
    assert.deepEqual(await list("outcomes[]=none"), [broken.id, fresh.id]);
    assert.deepEqual(await list("repository_failed=true"), [broken.id]);
    const byActivity = await list("sort=updated_at");
    assert.deepEqual(byActivity.slice(0, 3), [done.id, failed.id, waiting.id]);
    assert.deepEqual(
      byActivity.toSorted(),
      [done, failed, fresh, broken, waiting].map(({ id }) => id).toSorted(),
    );
    const { updated_at } = await api.ok("GET", `/sessions/${failed.id}`);
    assert.ok((await list(`sort=updated_at&updated_at[gte]=${updated_at}`)).includes(failed.id));
    assert.ok(!(await list(`sort=updated_at&updated_at[lt]=${updated_at}`)).includes(failed.id));

    await api.ok("POST", `/sessions/${done.id}/events`, { events: [steps({ wait_ms: 600_000 })] });
    let turns = 0;
    await readEventsUntil(api, done.id, ({ type }) => type === "session.status_running" && ++turns === 2);
    assert.deepEqual(await list("outcomes[]=end_turn"), [], "it runs");
    await api.ok("POST", `/sessions/${done.id}/terminate`, {});
    assert.equal((await of(done.id)).outcome, "terminated");
  },
);
