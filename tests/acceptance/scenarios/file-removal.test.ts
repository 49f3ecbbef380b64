import assert from "node:assert/strict";
import { type AnyJson, assertError } from "../harness/api.ts";
import { Berth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import {
  bash,
  makeFile,
  makeSession,
  runTurn,
  steps,
  toolResults,
  waitForTurn,
} from "../harness/fixtures.ts";
import { sharedService } from "../harness/shared-service.ts";
import { readEventsUntil } from "../harness/stream.ts";

const { berth, api } = await sharedService();

async function sessionWithFiles(
  ...mountPaths: (string | null)[]
): Promise<{ session: AnyJson; files: AnyJson[] }> {
  const files = await Promise.all(mountPaths.map((_, index) => makeFile(api, `content ${index}\n`)));
  const resources = files.map(({ id }, index) => ({
    type: "file",
    file_id: id,
    mount_path: mountPaths[index],
  }));
  return { session: await makeSession(api, { resources }), files };
}

const resourcePath = (session: AnyJson, index: number) =>
  `/sessions/${session.id}/resources/${session.resources[index].id}`;

covers(
  ["resource-delete"],
  "delete resource: it is gone, the file remains and can be added again",
  async () => {
    const { session, files } = await sessionWithFiles("/data/a", "/data/b");
    assert.deepEqual(await api.ok("DELETE", resourcePath(session, 0)), {
      id: session.resources[0].id,
      type: "session_resource_deleted",
    });
    const { data } = await api.ok("GET", `/sessions/${session.id}/resources`);
    assert.deepEqual(data, [session.resources[1]]);
    const now = await api.ok("GET", `/sessions/${session.id}`);
    assert.deepEqual(now.resources, [session.resources[1]]);
    assert.ok(now.updated_at > session.updated_at);
    assertError(await api.get(resourcePath(session, 0)), 404, "not_found_error", { message: /Resource/ });
    assertError(await api.delete(resourcePath(session, 0)), 404, "not_found_error", { message: /Resource/ });
    await api.ok("GET", `/files/${files[0].id}`);
    const again = await api.ok("POST", `/sessions/${session.id}/resources`, {
      type: "file",
      file_id: files[0].id,
      mount_path: "/data/a",
    });
    assert.notEqual(again.id, session.resources[0].id);
    await api.ok("DELETE", resourcePath(session, 1));
    await api.ok("DELETE", `/files/${files[1].id}`);
  },
);

covers(
  ["resource-delete-sandbox"],
  "delete resource: removed from an open sandbox, also during a command",
  async () => {
    const { session, files } = await sessionWithFiles("/data/in/a", null, "/inputs/c");
    const upload = `/mnt/session/uploads/${files[1].id}`;
    const wait = `echo begun >/tmp/begun; for i in $(seq 600); do
    [ -e /data/in/a ] || [ -e ${upload} ] || { echo gone; break; }; sleep 0.05; done; cat /inputs/c`;
    const sent = await api.ok("POST", `/sessions/${session.id}/events`, {
      events: [steps(bash(`cat /data/in/a ${upload} /inputs/c`), bash(wait))],
    });
    await readEventsUntil(api, session.id, ({ type }) => type === "agent.tool_result");
    for (const index of [0, 1, 2]) await api.ok("DELETE", resourcePath(session, index));
    const texts = toolResults(await waitForTurn(api, session.id, sent.data[0].id));
    assert.match(texts[0] ?? "", /content 0\ncontent 1\ncontent 2/);
    assert.match(
      texts[1] ?? "",
      /^gone\ncontent 2/,
      "a mount outside the writable directories is removed after the turn",
    );
    const paths = `/data/in/a ${upload} /inputs/c`;
    const [later] = toolResults(await runTurn(api, session.id, bash(`ls ${paths} 2>/dev/null; echo listed`)));
    assert.match(later ?? "", /^listed/m, "in a new sandbox, without the mount");
    for (const [index, mount] of ["/data/in/a", null, "/inputs/c"].entries()) {
      const body = { type: "file", file_id: files[index].id, mount_path: mount };
      await api.ok("POST", `/sessions/${session.id}/resources`, body);
    }
    const [again] = toolResults(await runTurn(api, session.id, bash(`cat /data/in/a ${upload}`)));
    assert.match(again ?? "", /content 0\ncontent 1/);
    const [last] = toolResults(await runTurn(api, session.id, bash("cat /inputs/c")));
    assert.match(last ?? "", /content 2/);
  },
);

covers(["resource-delete-sandbox"], "delete and add at the same path: the new file is there", async () => {
  const { session, files } = await sessionWithFiles("/data/x");
  const other = await makeFile(api, "other\n");
  assert.match(toolResults(await runTurn(api, session.id, bash("cat /data/x")))[0] ?? "", /content 0/);
  let resource = session.resources[0].id;
  const path = `/sessions/${session.id}/resources`;
  for (const file of [files[0], other, files[0], other]) {
    await api.ok("DELETE", `${path}/${resource}`);
    ({ id: resource } = await api.ok("POST", path, {
      type: "file",
      file_id: file.id,
      mount_path: "/data/x",
    }));
  }
  assert.match(toolResults(await runTurn(api, session.id, bash("cat /data/x")))[0] ?? "", /^other/);
});

covers(
  ["resource-delete-sandbox"],
  "delete resource: removed from the disk of a closed sandbox",
  async (t) => {
    const quick = await Berth.start({ settings: { BERTH_SANDBOX_IDLE_SECONDS: "0" } });
    t.after(() => quick.stop());
    const own = await quick.client();
    const file = await makeFile(own, "content\n");
    const mount = { type: "file", file_id: file.id, mount_path: "/data/x" };
    const session = await makeSession(own, { resources: [mount] });
    assert.match(toolResults(await runTurn(own, session.id, bash("cat /data/x")))[0] ?? "", /content/);
    await own.ok("DELETE", resourcePath(session, 0));
    const texts = toolResults(await runTurn(own, session.id, bash("ls -A /data; echo listed")));
    assert.match(texts[0] ?? "", /^listed/);
  },
);

covers(
  ["resource-delete-refusals"],
  "delete resource: rejected for repositories and for archived or terminated sessions",
  async () => {
    const repository = { type: "hosted_repository", url: "https://github.com/octo/hello" };
    const generic = { type: "git_repository", url: "https://git.example/octo/other" };
    const mixed = await makeSession(api, { resources: [repository, generic] });
    for (const index of [0, 1]) {
      assertError(await api.delete(resourcePath(mixed, index)), 400, "invalid_request_error", {
        message: /Only a file/,
        param: "resource_id",
      });
    }
    const absent = "sesr_01h00000000000000000000000";
    assertError(await api.delete(`/sessions/${mixed.id}/resources/${absent}`), 404, "not_found_error");
    assertError(
      await api.delete(`/sessions/sess_01h00000000000000000000000/resources/${absent}`),
      404,
      "not_found_error",
      { message: /Session/ },
    );
    const archived = (await sessionWithFiles("/data/a")).session;
    await api.ok("POST", `/sessions/${archived.id}/archive`);
    assertError(await api.delete(resourcePath(archived, 0)), 403, "permission_error", {
      message: /archived/,
    });
    const terminated = (await sessionWithFiles("/data/a")).session;
    await api.ok("POST", `/sessions/${terminated.id}/terminate`);
    assertError(await api.delete(resourcePath(terminated, 0)), 409, "conflict_error", {
      message: /terminated/,
    });
    const stranger = await berth.client({ user: "stranger@example.com" });
    assertError(await stranger.delete(resourcePath(terminated, 0)), 403, "permission_error");
    const reader = await berth.client({ scopes: "sessions:read" });
    assertError(await reader.delete(resourcePath(terminated, 0)), 403, "permission_error", {
      message: /sessions:write/,
    });
  },
);
