// Subject: the route of principals.
import assert from "node:assert/strict";
import { test } from "node:test";
import { formatId, newUuid } from "@berth/contract";
import { testApp, type Wire } from "../../../test-support/http.ts";

test("principals: names within the organization, for any token; of others, and of nobody, nothing", async (t) => {
  const { caller } = await testApp(t);
  const ada = await caller({ email: "ada@example.com", org: "acme", scopes: ["files:read"] });
  const robot = await caller({ kind: "sat", email: "robot", org: "acme" });
  const eve = await caller({ email: "eve@example.com", org: "other" });
  const idOf = async (who: typeof ada): Promise<string> => (await who.get("/whoami")).body.principal.id;
  const ids = [await idOf(ada), await idOf(robot), await idOf(eve), formatId("user", newUuid())];
  const names = async (who: typeof ada, asked: readonly string[]) => {
    const { status, body } = await who.get(`/principals?${asked.map((id) => `ids[]=${id}`).join("&")}`);
    assert.equal(status, 200);
    return body.data.map(({ id, type, name }: Wire) => [id, type, name]).toSorted();
  };
  assert.deepEqual(
    await names(ada, [...ids, ids[0] ?? ""]),
    [
      [ids[1], "service_account", "robot"],
      [ids[0], "user", "ada@example.com"],
    ].toSorted(),
  );
  assert.deepEqual(await names(eve, ids), [[ids[2], "user", "eve@example.com"]]);
  for (const query of ["", "?ids[]=org_x", `?${Array(101).fill(`ids[]=${ids[0]}`).join("&")}`])
    assert.equal((await ada.get(`/principals${query}`)).status, 400, query.slice(0, 20));
});
