import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { parse, parseAllDocuments } from "yaml";
import { type Installation, sharedInstallation } from "../../test-support/installation.ts";

const WITHIN = { timeout: 120_000 };

let service: Installation;
before(async () => {
  service = await sharedInstallation();
});
after(() => service.stop());

test("-o: an object and a list as JSON, YAML and ids, and for people by default", WITHIN, async () => {
  const fields = ["-f", "name=ci", "-F", 'config.networking.allowed_hosts=["a.test","b.test"]'];
  const typed = ["-f", "config.type=cloud", "-f", "config.networking.type=limited"];
  const made = await service.json("environments", "create", ...fields, ...typed);
  const get = (...flags: string[]) => service.done("environments", "get", made.id, ...flags);
  assert.deepEqual(JSON.parse(await get("-o", "json")), made);
  assert.deepEqual(parse(await get("-o", "yaml")), made);
  assert.equal(await get("-o", "id"), `${made.id}\n`);
  assert.equal(await get("--quiet"), "");
  const people = await get();
  assert.equal(await get("-o", "table"), people);
  assert.match(people, /^config\.networking\.allowed_hosts +a\.test, b\.test$/m);
  assert.match(people, /^config\.type +cloud$/m);
  assert.doesNotMatch(people, /[{}]/);
  const list = (...flags: string[]) => service.done("environments", "list", ...flags);
  assert.equal(await list("-o", "id"), `${made.id}\n`);
  assert.deepEqual(parse(await list("-o", "yaml")), { data: [made], has_more: false });
  assert.match(await list(), /^ID +NAME/);
});

test("-o: what cannot be printed so is a usage error, before anything is done", WITHIN, async () => {
  for (const flags of [
    ["-o", "xml"],
    ["-o", "yaml", "--json"],
  ]) {
    const { code, stdout } = await service.run(["agents", "list", ...flags]);
    assert.deepEqual([code, stdout], [2, ""], flags.join(" "));
  }
  const { code, stderr } = await service.run(["status", "-o", "id"]);
  assert.deepEqual(
    [code, stderr],
    [2, "error: The output of this command has no id: choose table, json or yaml.\n"],
  );
});

test("-o: commands about sessions and the installation have it, too", WITHIN, async () => {
  const task = JSON.stringify({ steps: [{ say: "Hello." }] });
  const events = await service.done("run", task, "--model", "rehearsal/steps", "-o", "yaml");
  const [session, ...rest] = parseAllDocuments(events).map((one) => one.toJS());
  assert.match(session.id, /^sess_/);
  assert.equal(rest.at(-1).type, "session.status_idle");
  const ids = await service.done("sessions", "logs", session.id, "-o", "id");
  assert.deepEqual(
    ids.trim().split("\n"),
    rest.map(({ id }) => id),
  );
  assert.equal(await service.done("run", task, "--model", "rehearsal/steps", "--quiet"), "");
  for (const more of [[], ["-o", "json"]]) {
    const id = await service.done("run", task, "--model", "rehearsal/steps", "--detach", "--quiet", ...more);
    assert.match(id, /^sess_\w+\n$/);
  }
  assert.match(await service.done("sessions", "list", "--archived", "-o", "id"), /^(sess_\w+\n){4}$/);
  assert.deepEqual(parse(await service.done("whoami", "-o", "yaml")), await service.json("whoami"));
  assert.match(
    (await service.admin(["users", "list", "--org", service.org, "-o", "id"])).stdout,
    /^usr_\w+\n$/,
  );
  assert.deepEqual(
    parse(await service.done("config", "print", "-o", "yaml")),
    await service.json("config", "print"),
  );
});
