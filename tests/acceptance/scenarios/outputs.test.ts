import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { type AnyJson, assertError } from "../harness/api.ts";
import { startBerth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import { bash, makeSession, runTurn, steps, toolResults } from "../harness/fixtures.ts";
import { readEventsUntil } from "../harness/stream.ts";

const LIMIT = 3_000_000;

const { berth, api } = await startBerth({ settings: { BERTH_UPLOAD_LIMIT: `${LIMIT}` } });

/** Returns the saved Files of a session, newest first. */
async function saved(session: string): Promise<AnyJson[]> {
  return (await api.ok("GET", `/files?scope_id=${session}&limit=100`)).data;
}

async function contentOf(file: AnyJson): Promise<string> {
  const response = await api.get(`/files/${file.id}/content`);
  assert.equal(response.status, 200);
  return response.body;
}

function names(files: AnyJson[]): string[] {
  return files.map(({ filename }) => filename).sort();
}

function outputErrors(events: AnyJson[]): string[] {
  return events
    .filter(({ type, error }) => type === "session.error" && error.type === "outputs_error")
    .map(({ error }) => error.message);
}

covers(["outputs-saved", "files-read"], "outputs: saved as Files when the turn ends", async () => {
  const session = await makeSession(api);
  await runTurn(
    api,
    session.id,
    bash(
      "cd /mnt/session/outputs && mkdir -p charts && echo '# Report' > report.md && echo 1,2 > charts/a.csv",
    ),
    bash(
      "printf '\\211PNG\\r\\n\\032\\n....' > /mnt/session/outputs/picture; touch /mnt/session/outputs/empty",
    ),
  );
  const files = await saved(session.id);
  assert.deepEqual(names(files), ["charts/a.csv", "empty", "picture", "report.md"]);
  const report = files.find(({ filename }) => filename === "report.md");
  const { id, created_at: created, updated_at: updated, ...rest } = report;
  assert.match(id, /^file_/);
  assert.equal(created, updated);
  assert.deepEqual(rest, {
    type: "file",
    filename: "report.md",
    mime_type: "text/markdown",
    size_bytes: 9,
    uploaded_bytes: 9,
    sha256: createHash("sha256").update("# Report\n").digest("hex"),
    status: "ready",
    downloadable: true,
    current: true,
    scope: { type: "session", id: session.id },
    metadata: {},
    visibility: session.visibility,
    owner_type: session.owner_type,
    owner_id: session.owner_id,
  });
  assert.equal(await contentOf(report), "# Report\n");
  const types = Object.fromEntries(files.map(({ filename, mime_type: type }) => [filename, type]));
  assert.equal(types["charts/a.csv"], "text/csv");
  assert.equal(types.picture, "image/png");
  const other = await berth.client({ user: "stranger@example.com" });
  assertError(await other.get(`/files/${report.id}`), 403, "permission_error");
  assert.deepEqual((await other.ok("GET", `/files?scope_id=${session.id}`)).data, []);
});

covers(["outputs-once"], "outputs: an unchanged file is saved once, a changed one again", async () => {
  const session = await makeSession(api);
  await runTurn(api, session.id, bash("cd /mnt/session/outputs; echo one > a; echo kept > b"));
  const first = await saved(session.id);
  await runTurn(api, session.id, bash("touch /mnt/session/outputs/b; echo elsewhere > /data/c"));
  assert.deepEqual(await saved(session.id), first);
  await runTurn(api, session.id, bash("echo two > /mnt/session/outputs/a"));
  const second = await saved(session.id);
  assert.deepEqual(names(second), ["a", "a", "b"]);
  assert.equal(await contentOf(second[0]), "two\n");
  const withoutCurrent = (files: AnyJson[]) => files.map(({ current: _, ...rest }) => rest);
  assert.deepEqual(withoutCurrent(second.slice(1)), withoutCurrent(first));
  // The files of one turn are stored in no particular order.
  const currentOf = (files: AnyJson[]) =>
    files.map(({ filename, current }) => `${filename} ${current}`).sort();
  assert.deepEqual(currentOf(first), ["a true", "b true"]);
  assert.deepEqual(currentOf(second), ["a false", "a true", "b true"]);
  const former = first.find(({ filename }: AnyJson) => filename === "a");
  assert.equal((await api.ok("GET", `/files/${former?.id}`)).current, false);
  await runTurn(api, session.id, bash("cd /mnt/session/outputs; echo one > a; cp a copy; rm b"));
  const third = await saved(session.id);
  assert.deepEqual(
    names(third),
    ["a", "a", "a", "b", "copy"],
    "the newest File of a path has its newest content",
  );
  const byName = (name: string) => third.find(({ filename }) => filename === name).sha256;
  assert.equal(byName("copy"), byName("a"));
  assert.deepEqual(names(third.filter(({ current }) => current)), ["a", "b", "copy"]);
});

covers(["outputs-names"], "outputs: unusual names are saved, links and special files are not", async () => {
  const session = await makeSession(api);
  const events = await runTurn(
    api,
    session.id,
    bash(`cd /mnt/session/outputs
printf dash > ./-rf; printf quote > "it's \\"b\\"\\\\\\$(x).txt"; printf line > "$(printf 'a\\nb')"; printf bytes > "$(printf 'x\\377y')"
printf end > "$(printf 'tail\\n.')"; printf uml > 'räume 漢.txt'; mkdir -p ' d '; printf deep > ' d /f'
echo outside > /data/secret; ln -s /data/secret link; ln -s /etc etc; mkfifo pipe; ln -s missing broken`),
  );
  const files = await saved(session.id);
  const contents = Object.fromEntries(
    await Promise.all(files.map(async (file) => [file.filename, await contentOf(file)])),
  );
  assert.deepEqual(contents, {
    "-rf": "dash",
    'it\'s "b"\\$(x).txt': "quote",
    "a\uFFFDb": "line",
    "x\uFFFDy": "bytes",
    "tail\uFFFD.": "end",
    "räume 漢.txt": "uml",
    " d /f": "deep",
  });
  const [error = "", ...more] = outputErrors(events);
  assert.deepEqual(more, []);
  for (const name of ["a\uFFFDb", "x\uFFFDy", "tail\uFFFD."]) assert.ok(error.includes(`'${name}'`), error);
  assert.doesNotMatch(error, /räume|-rf|link/);
});

covers(["outputs-limits"], "outputs above the limits: omitted and reported once", async () => {
  const session = await makeSession(api);
  const script = `cd /mnt/session/outputs; head -c ${LIMIT} /dev/zero > fits; head -c ${LIMIT + 1} /dev/zero > large; truncate -s 1T sparse`;
  const events = await runTurn(api, session.id, bash(script));
  assert.deepEqual(events.at(-1).stop_reason, { type: "end_turn" });
  assert.deepEqual(
    (await saved(session.id)).map(({ filename, size_bytes: size }) => [filename, size]),
    [["fits", LIMIT]],
  );
  const [error = ""] = outputErrors(events);
  assert.match(error, /'large' has 3000001 bytes/);
  assert.match(error, /'sparse'/);
  const again = await runTurn(api, session.id, bash("echo more > /mnt/session/outputs/note"));
  assert.deepEqual(outputErrors(again), []);
  assert.match(
    toolResults(again)[0] ?? "",
    /'large' has 3000001 bytes/,
    "the next tool result reports it to the model",
  );
  const many = await makeSession(api);
  const manyFiles = "cd /mnt/session/outputs; for n in $(seq 1010); do echo 1 > $n; done";
  await api.ok("POST", `/sessions/${many.id}/events`, { events: [steps(bash(manyFiles))] });
  // No event comes while a thousand files are stored, which takes a minute beside other tests.
  const crowd = await readEventsUntil(api, many.id, ({ type }) => type === "session.status_idle", {
    signal: AbortSignal.timeout(240_000),
  });
  assert.match(outputErrors(crowd)[0] ?? "", /more than 1000 files/);
  const counted = new Set<string>();
  for (let page: string | null = "", pages = 0; page !== null && pages < 12; pages++) {
    const part: AnyJson = await api.ok(
      "GET",
      `/files?scope_id=${many.id}&limit=100${page && `&page=${encodeURIComponent(page)}`}`,
    );
    for (const { id } of part.data) counted.add(id);
    page = part.next_page;
  }
  assert.equal(counted.size, 1000);
});

covers(["outputs-archive"], "archive: saves the outputs, also of a running turn", async () => {
  const session = await makeSession(api);
  await api.ok("POST", `/sessions/${session.id}/events`, {
    events: [steps(bash("echo half > /mnt/session/outputs/half"), bash("sleep 60"))],
  });
  let uses = 0;
  await readEventsUntil(api, session.id, ({ type }) => type === "agent.tool_use" && ++uses === 2);
  await api.ok("POST", `/sessions/${session.id}/archive`);
  const events = await readEventsUntil(api, session.id, ({ type }) => type === "session.status_idle");
  assert.deepEqual(events.at(-1).stop_reason, { type: "cancelled" });
  const [half, ...more] = await saved(session.id);
  assert.deepEqual([half.filename, await contentOf(half), more], ["half", "half\n", []]);
});
