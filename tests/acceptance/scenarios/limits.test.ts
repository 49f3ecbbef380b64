import assert from "node:assert/strict";
import { after, before } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { type AnyJson, Api, assertError, type Json } from "../harness/api.ts";
import { Berth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import { bash, makeAgent, makeEnvironment, makeSession, runTurn, steps } from "../harness/fixtures.ts";
import { readEventsUntil } from "../harness/stream.ts";

const FILE_BYTES = 1_000;

let berth: Berth;
let ada: Api;
let bob: Api;
before(async () => {
  berth = await Berth.start({
    settings: {
      BERTH_USER_LIMITS: `open_sessions=3,file_bytes=${FILE_BYTES}`,
      BERTH_ORGANIZATION_LIMITS: "open_sessions=5",
      BERTH_ADDRESS_LIMITS: "requests_per_second=1,request_burst=10",
    },
  });
  ada = await berth.client({ user: "ada@example.com" });
  bob = await berth.client({ user: "bob@example.com" });
});
after(() => berth.stop());

/** Who has limits: the last part of a filter of users or organizations. */
type Owner = `users?email=${string}` | `organizations?name=${string}`;

/** Returns all limits of an owner, after the changes. */
async function limitsOf(owner: Owner, changes?: AnyJson): Promise<AnyJson[]> {
  const operator = await berth.operator();
  const { data: owners } = await operator.ok("GET", `/api/v1/admin/${owner}`);
  const path = `/api/v1/admin/limits/${owners[0].id}`;
  const reply = changes === undefined ? operator.ok("GET", path) : operator.ok("POST", path, changes);
  return (await reply).data;
}

const command = (...args: string[]) => berth.command("admin", "limits", ...args);

/** Repeats a check until the service has read the database's new state. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  const patience = AbortSignal.timeout(60_000);
  while (!(await holds())) await pause(100, undefined, { signal: patience });
}

/**
 * Returns a client whose token the service has accepted. Before that, each lookup counts against the
 * address's limit, which a test uses up.
 */
async function accepted(who: { user: string; org: string }): Promise<Api> {
  const api = await berth.client(who);
  await until(async () => (await api.get("/agents")).status === 200);
  return api;
}

covers(
  ["limit-sessions"],
  "open sessions: of many at the last places the right number succeeds",
  async () => {
    const body = async (api: Api) => ({
      agent: (await makeAgent(api)).id,
      environment_id: (await makeEnvironment(api)).id,
    });
    const [ofAda, ofBob] = [await body(ada), await body(bob)];
    const opened = await Promise.all(Array.from({ length: 12 }, () => ada.post("/sessions", ofAda)));
    const refused = opened.filter(({ status }) => status !== 200);
    assert.equal(opened.length - refused.length, 3);
    for (const one of refused) {
      assertError(one, 429, "rate_limit_error", {
        message: "The user's limit of 3 open sessions is reached.",
      });
      assert.deepEqual([one.headers.get("retry-after"), one.headers.get("x-should-retry")], [null, "false"]);
    }
    assert.equal((await ada.ok("GET", "/sessions")).data.length, 3, "nothing of the others is stored");
    const others = await Promise.all(Array.from({ length: 6 }, () => bob.post("/sessions", ofBob)));
    assert.equal(others.filter(({ status }) => status === 200).length, 2, "the organization has five");
    const over = others.find(({ status }) => status === 429);
    assert.ok(over);
    assertError(over, 429, "rate_limit_error", {
      message: "The organization's limit of 5 open sessions is reached.",
    });
    const [one, two, three] = opened
      .filter(({ status }) => status === 200)
      .map((each) => (each.body as AnyJson).id);
    for (const [method, path] of [
      ["POST", `/sessions/${one}/archive`],
      ["POST", `/sessions/${two}/terminate`],
      ["DELETE", `/sessions/${three}`],
    ] as const) {
      assert.equal((await ada.post("/sessions", ofAda)).status, 429);
      await ada.ok(method, path);
      assert.equal((await ada.post("/sessions", ofAda)).status, 200, path);
    }
  },
);

covers(
  ["limit-files"],
  "bytes of files: uploads, announced sizes, and an end that is too large",
  async () => {
    const upload = async (bytes: number) => {
      const form = new FormData();
      form.append("file", new Blob(["x".repeat(bytes)]), "some.txt");
      const reply = await fetch(bob.address("/files"), {
        method: "POST",
        headers: bob.headers(),
        body: form,
      });
      return { status: reply.status, body: (await reply.json()) as AnyJson };
    };
    const sized = await Promise.all([400, 400, 400].map(upload));
    assert.deepEqual(sized.map(({ status }) => status).toSorted(), [200, 200, 429]);
    const announced = await bob.post("/files", { filename: "a", size_bytes: 201 });
    assertError(announced, 429, "rate_limit_error", {
      message: `The user's limit of ${FILE_BYTES} bytes of files is reached.`,
    });
    await bob.ok("POST", "/files", { filename: "a", size_bytes: 100 });
    const open = await bob.ok("POST", "/files", { filename: "open" });
    const put = (content: string | undefined, headers: Record<string, string> = {}) =>
      fetch(bob.address(`/files/${open.id}/content`), {
        method: "PUT",
        headers: bob.headers(headers),
        ...(content !== undefined && { body: content }),
      });
    const tooMuch = await put("y".repeat(101));
    assert.equal(tooMuch.status, 429, await tooMuch.text());
    assert.equal((await bob.ok("GET", `/files/${open.id}`)).status, "pending");
    const stored = sized.find(({ status }) => status === 200)?.body.id;
    await bob.ok("DELETE", `/files/${stored}`);
    const completed = await put(undefined, { "content-range": "bytes */101" });
    assert.deepEqual([completed.status, ((await completed.json()) as AnyJson).status], [200, "ready"]);
  },
);

covers(
  ["limit-requests", "limit-settings"],
  "requests: over the rate 429 with retry-after, and nobody else is slowed down",
  async () => {
    await limitsOf("users?email=ada@example.com", { requests_per_second: 1, request_burst: 2 });
    let refused: Awaited<ReturnType<Api["get"]>> | undefined;
    await until(async () => {
      const reply = await ada.get("/agents");
      if (reply.status === 429) refused = reply;
      return refused !== undefined;
    });
    assert.ok(refused);
    assertError(refused, 429, "rate_limit_error", {
      message: "The user's limit of 1 requests a second is reached.",
    });
    assert.equal(refused.headers.get("retry-after"), "1");
    assert.equal(refused.headers.get("x-should-retry"), "true");
    for (let count = 0; count < 20; count += 1) await bob.ok("GET", "/agents");
    await limitsOf("users?email=ada@example.com", { requests_per_second: "none" });
    await until(async () => {
      const replies = await Promise.all(Array.from({ length: 5 }, () => ada.get("/agents")));
      return replies.every(({ status }) => status === 200);
    });
  },
);

covers(
  ["limit-addresses", "device-limits"],
  "unknown tokens: over the rate of the client's address 429, and known tokens go on",
  async () => {
    await ada.ok("GET", "/agents");
    // The token is revoked, and was never accepted.
    const unknown = await bob.ok("POST", "/tokens", { name: "revoked" });
    await bob.ok("DELETE", `/tokens/${unknown.id}`);
    const guess = async () => {
      const reply = await fetch(ada.address("/agents"), {
        headers: { authorization: `Bearer ${unknown.token}` },
      });
      return { status: reply.status, headers: reply.headers, body: (await reply.json()) as AnyJson };
    };
    let last = await guess();
    assertError(last, 401, "authentication_error");
    await until(async () => {
      last = await guess();
      return last.status === 429;
    });
    assertError(last, 429, "rate_limit_error", {
      message: "The client address's limit of 1 requests a second with unknown tokens is reached.",
    });
    assert.equal(last.headers.get("retry-after"), "1");
    await ada.ok("GET", "/agents");
    const nobody = new Api(berth.url, null);
    await until(async () => (await nobody.post("/device_tokens", { device_code: "x" })).status === 429);
    const malformed = await fetch(ada.address("/agents"), { headers: { authorization: "Bearer x" } });
    assert.equal(malformed.status, 401, "it costs no look");
  },
);

covers(["limit-turns"], "turns at once: a further one waits, and begins when one ends", async () => {
  const carol = await accepted({ user: "carol@example.com", org: "crew" });
  const set = await limitsOf("organizations?name=crew", { running_turns: 1 });
  assert.equal(set.find(({ name }: AnyJson) => name === "running_turns")?.value, 1);
  const send = (session: AnyJson, ...list: Json[]) =>
    carol.ok("POST", `/sessions/${session.id}/events`, { events: [steps(...list)] });
  const eve = await accepted({ user: "eve@example.com", org: "others" });
  const unlimited = await makeSession(eve);
  let [one, two]: AnyJson[] = [];
  await until(async () => {
    [one, two] = [await makeSession(carol), await makeSession(carol)];
    await send(one, bash("sleep 600"));
    await readEventsUntil(carol, one.id, ({ type }) => type === "agent.tool_use");
    await send(two, { say: "at last" });
    // Turns begin in the order of their messages: without a limit, Carol's second turn would begin before this one.
    await runTurn(eve, unlimited.id, { say: "done" });
    const events = (await carol.ok("GET", `/sessions/${two.id}/events`)).data;
    if (!events.some(({ type }: AnyJson) => type === "session.status_running")) return true;
    // The second turn has begun, since the runner had not read the limit yet. Try again.
    for (const { id } of [one, two]) await carol.ok("POST", `/sessions/${id}/terminate`);
    return false;
  });
  const { used } = (await limitsOf("organizations?name=crew")).find(({ name }) => name === "running_turns");
  assert.equal(used, 1);
  assert.equal((await carol.ok("GET", `/sessions/${two.id}`)).status, "idle");
  await carol.ok("POST", `/sessions/${one.id}/cancel`);
  const log = await readEventsUntil(carol, two.id, ({ type }) => type === "session.status_idle");
  assert.match(JSON.stringify(log), /at last/);
});

covers(
  ["limit-work"],
  "seconds of sandboxes and bytes of disks: messages are rejected, replies and interrupts are not",
  async () => {
    const dan = await accepted({ user: "dan@example.com", org: "guild" });
    const session = await makeSession(dan);
    await runTurn(dan, session.id, bash("head -c 20M /dev/urandom > big"));
    const used = async (name: string) => {
      return (await limitsOf("organizations?name=guild")).find((one) => one.name === name).used;
    };
    await until(async () => (await used("sandbox_seconds_per_day")) > 0);
    const message = { events: [steps({ say: "more" })] };
    const refused = async () => {
      const reply = await dan.post(`/sessions/${session.id}/events`, message);
      return reply.status === 429 ? reply : null;
    };
    for (const [name, words, waits] of [
      ["sandbox_seconds_per_day", "1 seconds of open sandboxes a day", true],
      ["disk_bytes", "1 bytes of session disks", false],
    ] as const) {
      if (name === "disk_bytes" && (await used(name)) === 0) continue; // This machine cannot limit disks.
      await limitsOf("organizations?name=guild", { [name]: 1 });
      await until(async () => (await refused()) !== null);
      const reply = await refused();
      assert.ok(reply);
      assertError(reply, 429, "rate_limit_error", {
        message: `The organization's limit of ${words} is reached.`,
      });
      assert.equal(Number(reply.headers.get("retry-after")) > 0, waits);
      assert.equal(reply.headers.get("x-should-retry"), "false");
      const { agent, environment_id } = session;
      const created = { agent: agent.id, environment_id, initial_events: message.events };
      assert.equal((await dan.post("/sessions", created)).status, 429);
      const { initial_events: _, ...empty } = created;
      assert.equal((await dan.post("/sessions", empty)).status, 200);
      await dan.ok("POST", `/sessions/${session.id}/events`, { events: [{ type: "user.interrupt" }] });
      await limitsOf("organizations?name=guild", { [name]: null });
      await until(async () => (await refused()) === null);
    }
  },
);

covers(["limit-settings"], "limits: what a command shows, and a key whose request was refused", async () => {
  const listed = async (...flags: string[]) =>
    JSON.parse(await command("get", "--user", "bob@example.com", "--json", ...flags)).data.map(
      ({ name, value, from }: AnyJson) => [name, value, from],
    );
  const all = await listed();
  const bytes = Object.fromEntries(all.map(([name, value]: [string, number]) => [name, value]));
  for (const name of ["file_bytes", "disk_bytes"])
    assert.ok(bytes[name] > 0 && bytes[name] <= 500_000_000_000, `${name}: ${bytes[name]}`);
  assert.deepEqual(all, [
    ["requests_per_second", 300, "settings"],
    ["request_burst", 3_000, "settings"],
    ["open_sessions", 3, "settings"],
    ["file_bytes", bytes.file_bytes, "settings"],
    ["running_turns", null, null],
    ["sandbox_seconds_per_day", null, null],
    ["disk_bytes", bytes.disk_bytes, "settings"],
    ["spend_cents", null, null],
    ["spend_cents_per_day", null, null],
  ]);
  await command("set", "--user", "bob@example.com", "file_bytes=10");
  assert.deepEqual((await listed())[3], ["file_bytes", 10, "own"]);
  const announce = () =>
    bob.call("POST", "/files", { filename: "b", size_bytes: 1 }, { headers: { "idempotency-key": "again" } });
  const refuses = async () => {
    const { status, body } = await bob.post("/files", { filename: "c", size_bytes: 1 });
    if (status === 200) await bob.ok("DELETE", `/files/${body.id}`);
    return status === 429;
  };
  await until(refuses);
  assert.equal((await announce()).status, 429);
  await command("unset", "--user", "bob@example.com", "file_bytes");
  await command("set", "--user", "bob@example.com", "file_bytes=none");
  await until(async () => !(await refuses()));
  assert.equal((await announce()).status, 200, "the refusal was not kept");
  for (const wrong of [
    ["set", "--user", "bob@example.com", "sessions=1"],
    ["set", "--user", "bob@example.com", "open_sessions=-1"],
    ["set", "--user", "bob@example.com", "open_sessions=5=6"],
    ["set", "--user", "bob@example.com", "open_sessions"],
    ["set", "--user", "bob@example.com", "file_bytes=1000000000000000"],
    ["set", "--user", "bob@example.com", "running_turns=0"],
    ["set", "open_sessions=1"],
    ["get", "--user", "nobody@example.com"],
  ])
    await assert.rejects(command(...wrong), wrong.join(" "));
  const audited = await berth.command("admin", "audit", "--json", "--operation", "adminLimits.update");
  assert.match(audited, /"operation":"adminLimits\.update"/);
});
