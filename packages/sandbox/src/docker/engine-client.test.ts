import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { Containers } from "./containers.ts";
import { EngineClient } from "./engine-client.ts";

/** Starts a scripted container engine and returns the path of its socket. */
async function speaking(t: TestContext, listener: RequestListener): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), "berth-client-"));
  const server = createServer(listener).listen(join(directory, "socket"));
  await once(server, "listening");
  t.after(() => {
    server.close();
    rmSync(directory, { recursive: true });
  });
  return join(directory, "socket");
}

function version(newest: string, least: string, parts: string[] = ["Engine"]): RequestListener {
  const Components = parts.map((Name) => ({ Name }));
  return (_, answer) =>
    answer.end(JSON.stringify({ Version: "1.0", ApiVersion: newest, MinAPIVersion: least, Components }));
}

test("connect: uses the oldest sufficient API version, or the engine's own oldest", async (t) => {
  const speaks = async (newest: string, least: string) =>
    (await EngineClient.connect(await speaking(t, version(newest, least)))).version.api;
  assert.equal(await speaks("1.41", "1.12"), "1.41");
  assert.equal(await speaks("1.52", "1.24"), "1.41");
  assert.equal(await speaks("1.52", "1.44"), "1.44");
  for (const newest of ["1.40", "1.9", "", "2"])
    await assert.rejects(speaks(newest, "1.12"), {
      name: "SandboxError",
      message: /^Docker 1\.0 speaks version .* is needed: install/,
    });
});

test("connect: tells Podman from Docker", async (t) => {
  const socket = await speaking(t, version("1.41", "1.24", ["Podman Engine", "Conmon"]));
  assert.equal((await EngineClient.connect(socket)).version.name, "Podman");
});

test("call: an error status → its message in the error; a bad response → rejected", async (t) => {
  const answers: [number, string][] = [
    [500, '{"message":"no room"}'],
    [404, "plain"],
    [200, "not json"],
    [200, '{"Id":"../../x"}'],
  ];
  const socket = await speaking(t, (_, answer) => {
    const [status, text] = answers.shift() ?? [200, ""];
    answer.writeHead(status).end(text);
  });
  const client = new EngineClient(socket, { name: "Docker", version: "1", api: "1.41" });
  await assert.rejects(client.call("GET", "/x"), {
    status: 500,
    message: "The container engine refused: no room",
  });
  await assert.rejects(client.call("GET", "/x"), {
    status: 404,
    message: "The container engine refused: plain",
  });
  const containers = new Containers(client);
  for (let made = 0; made < 2; made++)
    await assert.rejects(containers.create("i", {}), {
      name: "SandboxError",
      message: /did not return the id/,
    });
});

test("remove: a container that does not exist or is being removed → resolves", async (t) => {
  const asked: string[] = [];
  const answers = [404, 409, 404, 500];
  const socket = await speaking(t, ({ method, url }, answer) => {
    asked.push(`${method} ${url}`);
    answer.writeHead(answers.shift() ?? 500).end('{"message":"said"}');
  });
  const containers = new Containers(new EngineClient(socket, { name: "Docker", version: "1", api: "1.41" }));
  await containers.remove("aa");
  await containers.remove("bb");
  await assert.rejects(containers.remove("cc"), { status: 500 });
  const remove = (id: string) => `DELETE /v1.41/containers/${id}?force=true&v=true`;
  assert.deepEqual(asked, [
    remove("aa"),
    remove("bb"),
    "POST /v1.41/containers/bb/wait?condition=removed",
    remove("cc"),
  ]);
});

test("attach: no upgrade → rejected", async (t) => {
  const socket = await speaking(t, (_, answer) =>
    answer.writeHead(404).end('{"message":"no such container"}'),
  );
  const client = new EngineClient(socket, { name: "Docker", version: "1", api: "1.41" });
  await assert.rejects(client.attach("aa"), { status: 404 });
});
