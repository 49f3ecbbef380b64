import assert from "node:assert/strict";
import { type AnyJson, type Api, assertError } from "../harness/api.ts";
import { covers } from "../harness/covers.ts";
import { bash, makeAgent, makeSession, runTurn } from "../harness/fixtures.ts";
import { sharedService } from "../harness/shared-service.ts";

const { berth, api } = await sharedService();

const unseenBy = async (who: Api, id: string): Promise<boolean> =>
  (await who.ok("GET", `/sessions/${id}`)).unseen;
const idsOf = async (who: Api, query: string): Promise<string[]> =>
  (await who.ok("GET", `/sessions?limit=100&${query}`)).data.map(({ id }: AnyJson) => id);

covers(
  ["desk-unseen"],
  "unseen: a turn that ended, failed or waits is news until it was looked at, again after the next; marks are idempotent",
  async () => {
    const ask = { name: "Bash", permission_policy: { type: "always_ask" } };
    const asking = await makeAgent(api, { tools: [{ type: "agent_toolset_20260401", configs: [ask] }] });
    const { id } = await makeSession(api, { agent: asking.id });
    assert.equal(await unseenBy(api, id), false, "nothing has happened");
    for (const step of [{ say: "Done." }, { fail: "authentication" }, { say: "Again." }]) {
      await runTurn(api, id, step);
      assert.equal(await unseenBy(api, id), true);
      const before = await api.ok("GET", `/sessions/${id}`);
      const seen = await api.ok("POST", `/sessions/${id}/seen`);
      assert.deepEqual(
        { ...seen, stats: before.stats },
        { ...before, unseen: false },
        "and nothing else changed",
      );
      assert.equal((await api.ok("POST", `/sessions/${id}/seen`)).unseen, false);
    }
    for (const _ of [1, 2]) assert.equal((await api.ok("DELETE", `/sessions/${id}/seen`)).unseen, true);
    await api.ok("POST", `/sessions/${id}/seen`);
    const events = await runTurn(api, id, bash("true"));
    assert.equal(await unseenBy(api, id), true, "it waits for an answer");
    const use = events.find(({ type }) => type === "agent.tool_use");
    const answer = { type: "user.tool_confirmation", tool_use_id: use?.id, result: "allow" };
    await api.ok("POST", `/sessions/${id}/events`, { events: [answer] });

    const { id: last } = await makeSession(api);
    await runTurn(api, last, { say: "Done." });
    assert.equal((await api.ok("POST", `/sessions/${last}/archive`, {})).unseen, false);
    assert.ok(!(await idsOf(api, "unseen=true&include_archived=true")).includes(last));
    assertError(await api.call("DELETE", `/sessions/${last}/seen`), 403, "permission_error");
  },
);

covers(
  ["desk-mine", "desk-unseen"],
  "list sessions: those on the caller's desk, and the unseen ones among them; each user has own marks",
  async () => {
    const [ada, grace, stranger] = await Promise.all(
      ["ada", "grace", "stranger"].map((name) => berth.client({ user: `${name}.desk@example.com` })),
    );
    const outsider = await berth.client({ org: "elsewhere", user: "outsider@example.com" });
    assert.ok(ada && grace && stranger);
    const user = (await grace.ok("GET", "/whoami")).principal.id;
    const [shared, own] = [await makeSession(ada), await makeSession(ada)];
    for (const { id } of [shared, own]) await runTurn(ada, id, { say: "Done." });
    await ada.ok("POST", `/sessions/${shared.id}/share`, { user, access: "write" });
    const lists = async (who: Api) => ({
      mine: await idsOf(who, "mine=true"),
      unseen: await idsOf(who, "unseen=true"),
    });
    const all = [own.id, shared.id];
    assert.deepEqual(await lists(ada), { mine: all, unseen: all });
    assert.deepEqual(await idsOf(grace, ""), [shared.id], "she may see it");
    assert.deepEqual(await lists(grace), { mine: [], unseen: [] }, "and it does not flood her desk");

    await runTurn(grace, shared.id, { say: "Said for Grace." });
    assert.deepEqual(await lists(grace), { mine: [shared.id], unseen: [shared.id] });
    await ada.ok("POST", `/sessions/${shared.id}/seen`);
    assert.deepEqual([await unseenBy(ada, shared.id), await unseenBy(grace, shared.id)], [false, true]);
    for (const query of ["unseen=true", "unseen=true&sort=updated_at", "unseen=true&outcomes[]=end_turn"]) {
      assert.deepEqual(await idsOf(ada, query), [own.id], query);
      assert.deepEqual(await idsOf(grace, query), [shared.id], query);
    }
    assert.deepEqual(await idsOf(ada, "unseen=true&outcomes[]=requires_action"), []);
    assert.deepEqual(await idsOf(ada, `mine=true&agent_id=${own.agent.id}`), [own.id]);

    for (const method of ["POST", "DELETE"] as const) {
      assertError(await stranger.call(method, `/sessions/${own.id}/seen`), 403, "permission_error");
      assertError(await outsider.call(method, `/sessions/${own.id}/seen`), 403, "permission_error");
      const nowhere = `/sessions/sess_01h00000000000000000000000/seen`;
      assertError(await ada.call(method, nowhere), 404, "not_found_error");
    }
    const readOnly = await berth.client({ user: "ada.desk@example.com", scopes: "sessions:read" });
    assert.equal((await readOnly.ok("POST", `/sessions/${own.id}/seen`)).unseen, false);
    assert.deepEqual((await lists(ada)).unseen, []);

    await ada.ok("DELETE", `/sessions/${shared.id}/share?user=${user}`);
    assert.deepEqual(await lists(grace), { mine: [], unseen: [] }, "what is shared no longer is on no desk");
    const account = await berth.client({ user: "bot.desk@example.com", kind: "sat" });
    assert.deepEqual(await lists(account), { mine: [], unseen: [] });
    assert.equal((await account.post(`/sessions/${own.id}/seen`)).status, 401);
  },
);
