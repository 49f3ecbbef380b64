import assert from "node:assert/strict";
import { type AnyJson, type Api, type ApiResponse, assertError } from "../harness/api.ts";
import { startBerth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import { bash, makeFile, makeSession, runTurn, steps, waitForTurn } from "../harness/fixtures.ts";
import { servicesOf } from "../harness/services-of-test.ts";
import { readEventsUntil } from "../harness/stream.ts";
import { waitUntil } from "../harness/wait-until.ts";

/** More bytes than a connection buffers while its client does not read. */
const LIMIT = 48_000_000;

const { berth, api } = await startBerth({ settings: { BERTH_UPLOAD_LIMIT: `${LIMIT}` } });

/** Creates a session in which a command has run. Returns its id. */
async function worked(command: string, fields: AnyJson = {}): Promise<string> {
  const { id } = await makeSession(api, fields);
  await runTurn(api, id, bash(command));
  return id;
}

function at(session: string, path: string, more = ""): string {
  return `/sessions/${session}/workspace?path=${encodeURIComponent(path)}${more}`;
}

function contentAt(session: string, path: string): string {
  return `/sessions/${session}/workspace/content?path=${encodeURIComponent(path)}`;
}

async function list(session: string, path: string, more = ""): Promise<AnyJson> {
  return await api.ok("GET", at(session, path, more));
}

async function content(session: string, path: string, headers: Record<string, string> = {}) {
  return await api.get(contentAt(session, path), { headers });
}

const names = ({ data }: AnyJson): string[] => data.map(({ name }: AnyJson) => name);

async function eventsOf(session: string): Promise<AnyJson[]> {
  return (await api.ok("GET", `/sessions/${session}/events?limit=100`)).data;
}

covers(
  ["workspace-list", "workspace-links"],
  "workspace: each entry of a directory with what it is",
  async () => {
    const session = await worked(
      `mkdir -p tree/sub && cd tree && printf 12345 >a.txt && chmod 640 a.txt && ln -s /etc/passwd link && mkfifo pipe &&
     touch -d 2001-02-03T04:05:06.007Z old`,
    );
    const page = await list(session, "/data/tree");
    const { data, ...envelope } = page;
    assert.deepEqual(envelope, { next_page: null, first_id: null, last_id: null, has_more: false });
    const [file, link, old, pipe, sub] = data;
    assert.match(file.modified_at, /^\d{4}-\d\d-\d\dT.*\.\d{3}Z$/);
    assert.deepEqual(
      { ...file, modified_at: "" },
      {
        type: "file",
        name: "a.txt",
        path: "/data/tree/a.txt",
        size_bytes: 5,
        mode: "0640",
        modified_at: "",
        target: null,
      },
    );
    assert.deepEqual([link.type, link.target, link.size_bytes], ["symlink", "/etc/passwd", null]);
    assert.equal(old.modified_at, "2001-02-03T04:05:06.007Z");
    assert.deepEqual([pipe.type, sub.type, sub.path], ["fifo", "directory", "/data/tree/sub"]);
    assert.deepEqual(names(await api.ok("GET", `/sessions/${session}/workspace`)), ["tree"]);
  },
);

covers(
  ["workspace-list"],
  "workspace: a directory of 100,000 entries, page by page while it changes",
  async () => {
    const session = await worked("mkdir many && cd many && seq -f 'n%06g' 0 99999 | xargs touch");
    const first = await list(session, "/data/many", "&limit=100");
    assert.deepEqual([names(first)[0], names(first).at(-1), first.has_more], ["n000000", "n000099", true]);
    await runTurn(api, session, bash("cd /data/many && rm n000099 && touch n000050a n000100a"));
    const second = await list(session, "/data/many", `&limit=3&page=${first.next_page}`);
    assert.deepEqual(names(second), ["n000100", "n000100a", "n000101"]);
    const other = await api.get(at(session, "/data", `&page=${first.next_page}`));
    assertError(other, 400, "invalid_request_error", { param: "page" });
    const rest = await list(session, "/data/many", `&limit=100&page=${second.next_page}`);
    assert.equal(rest.data.length, 100);
    for (const limit of ["0", "101"])
      assertError(await api.get(at(session, "/data/many", `&limit=${limit}`)), 400, "invalid_request_error", {
        param: "limit",
      });
  },
);

covers(
  ["workspace-content"],
  "workspace content: type, attachment, ranges and a tag, as files have them",
  async () => {
    const session = await worked(
      `echo '# Title' >notes.md && printf '\\211PNG\\r\\n\\032\\n....' >picture && : >empty && head -c 300000 /dev/zero | tr '\\0' x >big &&
     printf end >>big && echo x >'a "b" ä'`,
    );
    const notes = await content(session, "/data/notes.md");
    assert.equal(notes.status, 200);
    assert.equal(notes.body, "# Title\n");
    const header = (response: ApiResponse, name: string) => response.headers.get(name);
    assert.deepEqual(
      [
        "content-type",
        "content-length",
        "content-disposition",
        "x-content-type-options",
        "accept-ranges",
      ].map((name) => header(notes, name)),
      [
        "text/markdown",
        "8",
        `attachment; filename="notes.md"; filename*=UTF-8''notes.md`,
        "nosniff",
        "bytes",
      ],
    );
    assert.match(header(notes, "content-security-policy") ?? "", /sandbox/);
    assert.equal(header(await content(session, "/data/picture"), "content-type"), "image/png");
    assert.deepEqual((await content(session, "/data/empty")).body, "");
    assert.match(
      header(await content(session, '/data/a "b" ä'), "content-disposition") ?? "",
      /filename="a _b_ _"; filename\*=UTF-8''a%20%22b%22%20%C3%A4$/,
    );

    const tail = await content(session, "/data/big", { range: "bytes=-5" });
    assert.deepEqual(
      [tail.status, tail.body, header(tail, "content-range")],
      [206, "xxend", "bytes 299998-300002/300003"],
    );
    assert.equal((await content(session, "/data/big", { range: "bytes=2-4" })).body, "xxx");
    assert.equal((await content(session, "/data/big")).body.length, 300_003);
    const etag = header(notes, "etag") ?? "";
    assert.equal((await content(session, "/data/notes.md", { "if-none-match": etag })).status, 304);
    await runTurn(api, session, bash("echo '# Other' >notes.md"));
    const changed = await content(session, "/data/notes.md", {
      "if-none-match": etag,
      range: "bytes=2-6",
      "if-range": etag,
    });
    assert.deepEqual([changed.status, changed.body], [200, "# Other\n"]);
  },
);

covers(
  ["workspace-content"],
  "workspace content: larger than the limit is served in ranges alone",
  async () => {
    const session = await worked(`truncate -s ${LIMIT} fits && truncate -s ${LIMIT + 1} large`);
    assert.equal((await content(session, "/data/fits")).body.length, LIMIT);
    assertError(await content(session, "/data/large"), 400, "invalid_request_error", {
      message: `The file has ${LIMIT + 1} bytes, and a response can have at most ${LIMIT} bytes. Request parts with the header 'Range'.`,
      param: "path",
    });
    const part = await content(session, "/data/large", { range: `bytes=1-${LIMIT}` });
    assert.deepEqual([part.status, part.body.length], [206, LIMIT]);
  },
);

covers(
  ["workspace-paths", "workspace-links"],
  "workspace: paths that lead nowhere, elsewhere or through links",
  async () => {
    const session = await worked(
      `mkdir dir shut && echo secret >shut/in && chmod 0 shut && echo x >none && chmod 0 none && mkfifo pipe && echo text >plain &&
     ln -s /etc/passwd passwd && ln -s / root && ln -s dir alias && ln -s /dev/zero zero`,
    );
    const rejected: [string, string, number, string, RegExp][] = [
      ["list", "data", 400, "invalid_request_error", /absolute path/],
      ["list", "/data/", 400, "invalid_request_error", /empty, '\.' or '\.\.' segments/],
      ["list", "/data/../etc", 400, "invalid_request_error", /empty, '\.' or '\.\.' segments/],
      ["content", "/data/./plain", 400, "invalid_request_error", /empty, '\.' or '\.\.' segments/],
      ["content", "/data/a\0b", 400, "invalid_request_error", /NUL/],
      ["list", `/data/${"x".repeat(256)}`, 400, "invalid_request_error", /255 bytes/],
      ["list", "/", 400, "invalid_request_error", /empty, '\.' or '\.\.' segments/],
      ["list", "/etc", 400, "invalid_request_error", /must be in one of \/data, /],
      ["content", "/etc/passwd", 400, "invalid_request_error", /must be in one of /],
      ["content", "/proc/self/environ", 400, "invalid_request_error", /must be in one of /],
      ["list", "/dev", 400, "invalid_request_error", /must be in one of /],
      ["list", "/database", 400, "invalid_request_error", /must be in one of /],
      ["list", "/mnt/session/shells", 400, "invalid_request_error", /must be in one of /],
      ["list", "/data/missing", 404, "not_found_error", /'\/data\/missing' does not exist in the sandbox/],
      ["content", "/data/missing/below", 404, "not_found_error", /does not exist/],
      ["list", "/data/plain", 400, "invalid_request_error", /is not a directory/],
      ["content", "/data/dir", 400, "invalid_request_error", /is a directory/],
      ["content", "/data/pipe", 400, "invalid_request_error", /is not a regular file/],
      ["content", "/data/passwd", 400, "invalid_request_error", /symbolic link/],
      ["content", "/data/zero", 400, "invalid_request_error", /symbolic link/],
      ["content", "/data/root/etc/passwd", 400, "invalid_request_error", /symbolic link/],
      ["list", "/data/alias", 400, "invalid_request_error", /symbolic link/],
      ["list", "/data/shut", 409, "conflict_error", /no permission/],
      ["content", "/data/shut/in", 409, "conflict_error", /no permission/],
      ["content", "/data/none", 409, "conflict_error", /no permission/],
    ];
    for (const [operation, path, status, type, message] of rejected) {
      const response = await api.get(operation === "list" ? at(session, path) : contentAt(session, path));
      assertError(response, status, type, { message, param: "path" });
    }
    assertError(await api.get(`/sessions/${session}/workspace/content`), 400, "invalid_request_error", {
      message: "Field 'path' is required.",
      param: "path",
    });
  },
);

covers(["workspace-names"], "workspace: names of any bytes", async () => {
  const session = await worked(
    `touch "$(printf 'bad\\377name')" "$(printf 'two\\nlines')" -- '-n' && printf x >"$(printf 'two\\nlines')"`,
  );
  const { data } = await list(session, "/data");
  assert.deepEqual(
    data.map(({ name, path }: AnyJson) => [name, path]),
    [
      ["-n", "/data/-n"],
      ["bad\ufffdname", null],
      ["two\nlines", "/data/two\nlines"],
    ],
  );
  assert.equal((await content(session, "/data/two\nlines")).body, "x");
});

covers(
  ["workspace-list", "workspace-content"],
  "workspace: mounted files and outputs are part of it",
  async () => {
    const file = await makeFile(api, "of the user", "given.txt");
    const resources = [{ type: "file", file_id: file.id, mount_path: "/srv/given.txt" }];
    const session = await worked("echo out >/mnt/session/outputs/o.txt; echo home >~/h.txt", { resources });
    assert.equal((await content(session, "/srv/given.txt")).body, "of the user");
    assert.deepEqual(names(await list(session, "/mnt/session/outputs")), ["o.txt"]);
    assert.equal((await content(session, "/home/agent/h.txt")).body, "home\n");
    assertError(await api.get(at(session, "/srv")), 400, "invalid_request_error", { param: "path" });
  },
);

covers(["workspace-running"], "workspace: a command that runs is not waited for", async () => {
  const { id } = await makeSession(api);
  const sent = await api.ok("POST", `/sessions/${id}/events`, {
    events: [steps(bash("echo going >state; mkfifo gate; read line <gate; echo $line"))],
  });
  await waitUntil(
    async () => (await api.get(contentAt(id, "/data/gate"))).status === 400,
    () => "the command did not begin",
  );
  assert.equal((await content(id, "/data/state")).body, "going\n");
  assert.equal((await api.ok("GET", `/sessions/${id}`)).status, "running");
  await api.ok("POST", `/sessions/${id}/events`, { events: [{ type: "user.interrupt" }] });
  await waitForTurn(api, id, sent.data[0].id);
});

covers(
  ["workspace-changing"],
  "workspace content: a file that changes while it is sent ends early",
  async () => {
    const session = await worked(`truncate -s ${LIMIT} file`);
    const response = await fetch(api.address(contentAt(session, "/data/file")), { headers: api.headers() });
    assert.equal(response.headers.get("content-length"), `${LIMIT}`);
    const reader = response.body?.getReader() ?? assert.fail();
    await reader.read();
    await runTurn(api, session, bash("touch file"));
    await assert.rejects(async () => {
      while (!(await reader.read()).done);
    });
    // The next read sees the new state.
    assert.equal((await content(session, "/data/file", { range: "bytes=-3" })).status, 206);

    const growing = await worked("(while :; do printf x >>log; done) & until [ -s log ]; do :; done");
    const read = await content(growing, "/data/log");
    if (read.status !== 200)
      assertError(read, 409, "conflict_error", { message: /changed while it was read/, param: "path" });
  },
);

covers(
  ["workspace-parked"],
  "workspace: a closed sandbox is opened for a look, and the session stays idle",
  async (t) => {
    const own = await servicesOf(t)({ settings: { BERTH_SANDBOX_IDLE_SECONDS: "0" } });
    const quick = await own.client();
    const { id } = await makeSession(quick);
    await runTurn(quick, id, bash("echo kept >file"));
    const closes = () => own.log.split('"msg":"sandbox closed"').length - 1;
    await waitUntil(
      () => closes() === 1,
      () => "the sandbox was not closed",
    );
    const before = await quick.ok("GET", `/sessions/${id}`);
    assert.equal((await quick.get(contentAt(id, "/data/file"))).body, "kept\n");
    const after = await quick.ok("GET", `/sessions/${id}`);
    assert.deepEqual([after.status, after.stats.active_seconds], ["idle", before.stats.active_seconds]);
    await waitUntil(
      () => closes() === 2,
      () => "the sandbox was not closed again",
    );
    const types = (await quick.ok("GET", `/sessions/${id}/events?limit=100`)).data.map(
      ({ type }: AnyJson) => type,
    );
    const since = types.slice(types.lastIndexOf("session.status_idle") + 1);
    assert.deepEqual(since, ["session.container_started"]);
    await runTurn(quick, id, bash("cat file"));
  },
);

covers(["workspace-no-disk"], "workspace: without a disk, 409 says why, and none is made", async (t) => {
  const settings = { BERTH_DISK_RECLAIM_SECONDS: "1", BERTH_SANDBOX_IDLE_SECONDS: "0" };
  const short = await (await servicesOf(t)({ settings })).client();
  const fresh = await makeSession(short);
  const all = (id: string) => [
    `/sessions/${id}/workspace`,
    contentAt(id, "/data/x"),
    `/sessions/${id}/changes`,
  ];
  const assertAll = async (client: Api, id: string, message: RegExp) => {
    for (const path of all(id)) assertError(await client.get(path), 409, "conflict_error", { message });
  };
  await assertAll(short, fresh.id, /has no disk: its first command or resource creates one/);
  const used = await makeSession(short);
  await runTurn(short, used.id, bash("echo x >x"));
  await readEventsUntil(short, used.id, ({ type }) => type === "session.container_reclaimed");
  await assertAll(short, used.id, /has no disk: its disk was reclaimed/);
  const events = (await short.ok("GET", `/sessions/${used.id}/events?limit=100`)).data;
  assert.equal(events.filter(({ type }: AnyJson) => type === "session.container_started").length, 1);

  const [archived, terminated, deleted] = [await worked("true"), await worked("true"), await worked("true")];
  await api.ok("POST", `/sessions/${archived}/archive`);
  await assertAll(api, archived, /has no disk: it is archived/);
  await api.ok("POST", `/sessions/${terminated}/terminate`);
  await assertAll(api, terminated, /has no disk: it is terminated/);
  await api.ok("DELETE", `/sessions/${deleted}`);
  for (const path of all(deleted)) assertError(await api.get(path), 404, "not_found_error");
  const stranger = await berth.client({ user: "stranger@example.com" });
  for (const path of all(fresh.id)) assertError(await stranger.get(path), 404, "not_found_error");
  for (const path of all(archived)) assertError(await stranger.get(path), 403, "permission_error");
  assert.ok((await eventsOf(archived)).length > 0);
});
