import assert from "node:assert/strict";
import { type AnyJson, assertError } from "../harness/api.ts";
import { covers } from "../harness/covers.ts";
import { bash, makeFile, makeSession, runTurn } from "../harness/fixtures.ts";
import { sharedGitService } from "../harness/shared-service.ts";

const { host, api } = await sharedGitService();
const FILES = { "README.md": "# Widget\n", "src/moved.txt": "a\nb\nc\nd\n", "src/gone.txt": "gone\n" };
await host.createRepository({ org: "acme", name: "widget", private: true, files: FILES });
await host.createRepository({ org: "acme", name: "open", private: false, files: FILES });
await host.createRepository({ org: "acme", name: "empty", private: false });

const repository = (name: string, fields: AnyJson = {}) => ({
  type: "hosted_repository",
  url: `${host.url}/acme/${name}`,
  authorization_token: host.createToken({ user: "robot", permissions: "write" }),
  ...fields,
});

/** Creates a session with these repositories in which a command has run. */
async function worked(resources: AnyJson[], command: string): Promise<AnyJson> {
  const session = await makeSession(api, { resources });
  await runTurn(api, session.id, bash(command));
  return session;
}

async function changes(session: AnyJson): Promise<AnyJson[]> {
  const body = await api.ok("GET", `/sessions/${session.id}/changes`);
  assert.deepEqual([body.type, body.session_id], ["session_changes", session.id]);
  return body.repositories;
}

function diffOf(session: AnyJson, path?: string, resource = session.resources[0]): string {
  const query = path === undefined ? "" : `?path=${encodeURIComponent(path)}`;
  return `/sessions/${session.id}/changes/${resource.id}/diff${query}`;
}

const shown = ({ path, old_path, status, additions, deletions, binary }: AnyJson) => [
  path,
  old_path,
  status,
  additions,
  deletions,
  binary,
];

covers(
  ["changes-repository", "changes-diff"],
  "changes: commits, pushed or not, and files of each repository",
  async () => {
    const session = await worked(
      [repository("widget"), repository("open")],
      `cd /data/widget && echo more >>README.md && git commit -qam 'Pushed one' && git push -q origin HEAD:refs/heads/side &&
     mv src/moved.txt src/here.txt && rm src/gone.txt && git commit -qam 'Local one' && printf 'a\\0b' >new.bin && echo new >new.txt`,
    );
    const [widget, open] = await changes(session);
    const { commits, files, ...rest } = widget;
    const cloned = await host.head("acme", "widget", "main");
    assert.deepEqual(
      { ...rest, head_commit: "" },
      {
        type: "repository_changes",
        resource_id: session.resources[0].id,
        url: `${host.url}/acme/widget`,
        mount_path: "/data/widget",
        status: "compared",
        reason: null,
        branch: "main",
        base_commit: cloned,
        head_commit: "",
        pushes: [{ branch: "side", commit: await host.head("acme", "widget", "side") }],
        base_is_ancestor: true,
        commit_count: 2,
        file_count: 5,
      },
    );
    assert.deepEqual(
      commits.map(({ subject, pushed }: AnyJson) => [subject, pushed]),
      [
        ["Local one", false],
        ["Pushed one", true],
      ],
    );
    assert.equal(commits[0].sha, widget.head_commit);
    assert.equal(commits[1].sha, await host.head("acme", "widget", "side"));
    assert.match(commits[0].authored_at, /^\d{4}-.*Z$/);
    assert.deepEqual(Object.keys(commits[0].author), ["name", "email"]);
    assert.deepEqual(files.map(shown), [
      ["README.md", null, "modified", 1, 0, false],
      ["new.bin", null, "added", null, null, true],
      ["new.txt", null, "added", 1, 0, false],
      ["src/gone.txt", null, "deleted", 0, 1, false],
      ["src/here.txt", "src/moved.txt", "renamed", 0, 0, false],
    ]);
    assert.deepEqual([open.commit_count, open.file_count, open.head_commit], [0, 0, open.base_commit]);

    const one = await api.ok("GET", diffOf(session, "README.md"));
    assert.deepEqual(
      { ...one, diff: "" },
      {
        type: "repository_diff",
        resource_id: session.resources[0].id,
        path: "README.md",
        diff: "",
        truncated: false,
        large_files: [],
      },
    );
    assert.match(one.diff, /^diff --git a\/README\.md b\/README\.md\n.*\n\+more\n$/s);
    assert.match(
      (await api.ok("GET", diffOf(session, "src/here.txt"))).diff,
      /^rename from src\/moved\.txt$/m,
    );
    const whole = await api.ok("GET", diffOf(session));
    assert.equal(whole.diff.match(/^diff --git /gm).length, 5);
    assert.equal((await api.ok("GET", diffOf(session, "src/none"))).diff, "");
  },
);

covers(
  ["changes-large"],
  "changes: a file that cannot be read in time is named, and the rest is compared",
  async () => {
    const session = await worked(
      [repository("widget")],
      "cd /data/widget && truncate -s 900G disk.img && truncate -s 900G src/moved.txt && echo more >>README.md",
    );
    const [widget] = await changes(session);
    assert.deepEqual(widget.files.map(shown), [
      ["README.md", null, "modified", 1, 0, false],
      ["disk.img", null, "added", null, null, true],
      ["src/moved.txt", null, "modified", null, null, true],
    ]);
    const all = await api.ok("GET", `/sessions/${session.id}/changes/${session.resources[0].id}/diff`);
    assert.deepEqual([all.large_files, all.truncated], [["disk.img", "src/moved.txt"], false]);
    assert.match(all.diff, /^\+more$/m);
    const one = await api.ok("GET", diffOf(session, "README.md"));
    assert.deepEqual(one.large_files, []);
  },
);

covers(["changes-states"], "changes: what a repository may be in", async () => {
  const session = await worked(
    [
      repository("empty"),
      repository("open", { mount_path: "/data/detached" }),
      repository("open", { mount_path: "/data/rewritten" }),
      repository("open", { mount_path: "/data/modules" }),
      repository("open", { mount_path: "/data/removed" }),
      repository("open", { mount_path: "/data/linked" }),
      repository("missing", { mount_path: "/data/missing" }),
    ],
    `cd /data && echo a >empty/a.txt && git -C detached checkout -q --detach && cd rewritten && git checkout -q --orphan new && git commit -qm Root &&
     git update-ref -d refs/remotes/origin/main && cd .. && git init -q lib && git -C lib commit -q --allow-empty -m One && cd modules &&
     git -c protocol.file.allow=always submodule --quiet add /data/lib lib && cd .. && { rm -rf removed || true; } && mv linked/.git git && ln -s /data/git linked/.git`,
  );
  const [empty, detached, rewritten, modules, removed, linked, missing] = await changes(session);
  assert.deepEqual(
    [empty.base_commit, empty.head_commit, empty.branch, empty.files.map(shown)],
    [null, null, "main", [["a.txt", null, "added", 1, 0, false]]],
  );
  assert.deepEqual([detached.branch, detached.head_commit === detached.base_commit], [null, true]);
  assert.deepEqual(
    [rewritten.branch, rewritten.base_is_ancestor, rewritten.commit_count, rewritten.file_count],
    ["new", false, 1, 0],
  );
  assert.deepEqual(
    modules.files.map(({ path, type }: AnyJson) => [path, type]),
    [
      [".gitmodules", "file"],
      ["lib", "submodule"],
    ],
  );
  // A snapshot's empty directory remains, since it is a mount point.
  assert.equal(removed.status, "unreadable");
  assert.match(removed.reason, /^There is no clone at its mount path\./);
  assert.equal(linked.status, "unreadable");
  assert.match(linked.reason, /'\.git' that is a file or a link/);
  assert.equal(missing.status, "not_in_place");
  assert.match(missing.reason, /^It could not be cloned: /);
  assert.deepEqual([missing.files, missing.commits, missing.base_is_ancestor], [[], [], false]);
  assertError(await api.get(diffOf(session, undefined, session.resources[6])), 409, "conflict_error", {
    message: /is not cloned/,
  });
  assertError(await api.get(diffOf(session, undefined, session.resources[4])), 409, "conflict_error", {
    message: /cannot be compared/,
  });
});

covers(["changes-diff"], "changes: a resource that is no repository, and paths that are none", async () => {
  const file = await makeFile(api, "x");
  const session = await worked([{ type: "file", file_id: file.id }], "true");
  assert.deepEqual(await changes(session), []);
  assertError(await api.get(diffOf(session)), 400, "invalid_request_error", { param: "resource_id" });
  const other = { id: "sesr_01zzzzzzzzzzzzzzzzzzzzzzzz" };
  assertError(await api.get(diffOf(session, undefined, other)), 404, "not_found_error");
  assertError(await api.get(diffOf(session, "")), 400, "invalid_request_error", { param: "path" });
  assertError(await api.get(diffOf(session, "a\0")), 400, "invalid_request_error", { param: "path" });
});

covers(
  ["changes-diff"],
  "changes: a long diff is cut and told; a secret of the session is masked in it",
  async () => {
    const session = await worked([repository("open")], "cd /data/open && seq 1 400000 >long.txt");
    const long = await api.ok("GET", diffOf(session, "long.txt"));
    assert.equal(long.truncated, true);
    assert.ok(long.diff.length <= 1_048_576 && long.diff.length > 1_048_000 && long.diff.endsWith("\n"));
    const token = host.createToken({ user: "robot", permissions: "write" });
    const masked = await worked(
      [repository("open", { authorization_token: token })],
      `cd /data/open && echo "the word is $GH_TOKEN" >told.txt && git add told.txt && git commit -qm "says $GH_TOKEN"`,
    );
    const { diff } = await api.ok("GET", diffOf(masked, "told.txt"));
    const [{ commits }] = await changes(masked);
    assert.ok(!(diff + JSON.stringify(commits)).includes(token));
    assert.match(diff, /^\+the word is \[redacted\]$/m);
    assert.equal(commits[0].subject, "says [redacted]");
  },
);

covers(["changes-bounded"], "changes: more files and commits than are listed are counted", async () => {
  const session = await worked(
    [repository("open")],
    `cd /data/open && last=HEAD && for n in $(seq 1 260); do last=$(git commit-tree -p $last -m $n HEAD^{tree}); done &&
     git update-ref refs/heads/main $last && mkdir many && cd many && seq 1 20000 | xargs touch`,
  );
  const [{ commit_count, commits, file_count, files }] = await changes(session);
  assert.deepEqual([commit_count, commits.length, files.length], [260, 250, 1_000]);
  assert.equal(file_count, 20_000);
});

covers(["changes-hostile"], "changes: nothing that a repository or the home names is run", async () => {
  const session = await worked(
    [repository("open")],
    `printf '#!/bin/sh\\ntouch /data/ran\\ncat\\n' >/data/trap && chmod +x /data/trap && cd /data/open && echo more >>README.md && echo new >new.txt &&
     for key in core.fsmonitor diff.external diff.x.command diff.x.textconv filter.x.clean filter.x.process core.pager core.sshCommand; do
       git config "$key" /data/trap; git config --global "$key" /data/trap; done;
     mkdir -p .git/hooks && cp /data/trap .git/hooks/post-index-change && git config core.hooksPath .git/hooks;
     echo '* filter=x diff=x' >.gitattributes; cp .gitattributes .git/info/attributes; rm -f /data/ran`,
  );
  const [{ files }] = await changes(session);
  assert.deepEqual(
    files.map(({ path }: AnyJson) => path),
    [".gitattributes", "README.md", "new.txt"],
  );
  await api.ok("GET", diffOf(session));
  await api.ok("GET", diffOf(session, "README.md"));
  const names = async () =>
    (await api.ok("GET", `/sessions/${session.id}/workspace`)).data.map(({ name }: AnyJson) => name);
  assert.deepEqual(await names(), ["open", "trap"]);
  await runTurn(api, session.id, bash("git -C /data/open status >/dev/null; true"));
  assert.deepEqual(await names(), ["open", "ran", "trap"]);
});
