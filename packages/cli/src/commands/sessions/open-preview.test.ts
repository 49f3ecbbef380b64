import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Installation, sharedInstallation } from "../../../test-support/installation.ts";

let service: Installation;
before(async () => {
  service = await sharedInstallation();
});
after(() => service.stop());

test("sessions open: makes a preview, or takes the one that there is, and prints its address", async () => {
  const agent = await service.json("agents", "create", "-f", "name=a", "-f", "model=rehearsal/steps");
  const environment = await service.json("environments", "create", "-f", "name=open-preview");
  const { id } = await service.json(
    ...["sessions", "create", "-f", `agent=${agent.id}`, "-f", `environment_id=${environment.id}`],
  );
  const first = await service.run(["sessions", "open", id, "5173", "--no-open"]);
  assert.equal(first.code, 0, first.stderr);
  assert.match(first.stdout, /^http:\/\/[a-z2-7]{26}\.localhost:\d+\/\.berth\/enter#[\w-]{43}\n$/);
  assert.match(first.stderr, /^The preview ends at 2\d{3}-/);
  const again = await service.run(["sessions", "open", id, "5173", "--no-open"]);
  assert.equal(again.stdout, first.stdout);
  const other = await service.json("sessions", "open", id, "8080");
  assert.deepEqual([other.type, other.port], ["preview", 8080]);
  const short = await service.json("sessions", "open", id, "5173", "--expires-in", "60");
  assert.ok(Date.parse(short.expires_at) - Date.parse(short.created_at) < 120_000);
  const listed = await service.json("sessions", "previews", "list", id);
  assert.equal(listed.data.length, 3);
  for (const port of ["0", "x", "65536"])
    assert.notEqual((await service.run(["sessions", "open", id, port])).code, 0, port);
});
