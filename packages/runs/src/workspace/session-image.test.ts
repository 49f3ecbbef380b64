// Subject: the image of a devcontainer.json, which a session chooses in a sandbox that does not have it.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { newUuid } from "@berth/contract";
import { ImageError, NoRoomError, SandboxError, type SandboxSpec } from "@berth/sandbox";
import { testDatabase } from "@berth/store/test-support/database";
import { seed, seedSession } from "@berth/store/test-support/runs";
import { bash, idles, installation, steps, types } from "../../test-support/worker.ts";

const IMAGE = "acme.example/dev:1";
const FILE = JSON.stringify({ image: IMAGE, postCreateCommand: "make own" });

/** A session whose repository has the file, on an engine that runs images. */
async function house(t: TestContext, { pending = false } = {}) {
  const db = await testDatabase(t);
  const own = await installation(t, db);
  const sessionId = await seedSession(db.write, await seed(db.write), { pending });
  await db.write.query({
    text: `insert into session_resources (id, session_id, type, url, mount_path, environment_from)
      values ($1, $2, 'git_repository', 'https://git.example/o/r', '/data/r', 'devcontainer')`,
    values: [newUuid(), sessionId],
  });
  const { open } = own.engine;
  /** Images with which a sandbox was to be opened, in order. */
  const asked: (string | null)[] = [];
  /** Commands with the image of their sandbox, in order. */
  const ran: string[] = [];
  const opening = { meanwhile: async (_: SandboxSpec) => {} };
  Object.assign(own.engine, {
    runsImages: true,
    open: async (spec: SandboxSpec) => {
      asked.push(spec.image ?? null);
      await opening.meanwhile(spec);
      const sandbox = await open(spec);
      const { run } = sandbox;
      sandbox.run = async (command) => {
        const result = await run(command);
        if (new TextDecoder().decode(command.stdin).includes("make own")) ran.push(`set-up in ${spec.image}`);
        if (command.script.includes("agent's")) ran.push(`command in ${spec.image}`);
        if (!command.script.includes("devcontainer.json")) return result;
        const text = Buffer.from(FILE).toString("base64");
        return { ...result, output: Buffer.from(`.devcontainer.json text ${text.length}\n${text}end`) };
      };
      return sandbox;
    },
  });
  let clones = 0;
  const clone = async () => {
    clones += 1;
    return { commit: "a".repeat(40) };
  };
  const events = async (enough: Parameters<typeof own.until>[1]) =>
    (await own.until(sessionId, enough)).map(({ event }) => event);
  return {
    ...{ own, asked, ran, opening, events },
    clones: () => clones,
    worker: () => own.worker({ clone, sandboxIdleMs: 600_000 }),
    send: () => own.send(sessionId, steps(bash("agent's"))),
    interrupt: () => own.interrupt(sessionId),
  };
}

const BOTH = [`set-up in ${IMAGE}`, `command in ${IMAGE}`];

test("an image is chosen → set-up and commands have it, the repository is cloned once, and one sandbox at a time is open", async (t) => {
  const { own, asked, ran, clones, worker, send, events } = await house(t);
  await send();
  await worker();
  const log = await events((entries) => idles(entries) === 1);
  assert.deepEqual([asked, ran, clones()], [[null, IMAGE], BOTH, 1]);
  assert.deepEqual(own.engine.overlaps, []);
  const count = (type: string) => log.filter((event) => event.type === type).length;
  assert.deepEqual(
    ["session.devcontainer_read", "session.resource_ready", "session.error"].map(count),
    [1, 1, 0],
  );
  await send();
  await events((entries) => idles(entries) === 2);
  assert.deepEqual(asked, [null, IMAGE]);
});

test("an image is chosen before there is a message → the sandbox is replaced all the same", async (t) => {
  const { asked, ran, clones, worker, send, events } = await house(t, { pending: true });
  await worker();
  await events((entries) => types(entries).includes("session.resource_ready"));
  assert.deepEqual([asked, ran, clones()], [[null, IMAGE], BOTH.slice(0, 1), 1]);
  await send();
  await events((entries) => idles(entries) === 1);
  assert.deepEqual([asked, ran], [[null, IMAGE], BOTH]);
});

test("the process stops while the sandbox with the image is opened → the next one opens it, and nothing is chosen again", async (t) => {
  const { asked, ran, opening, worker, send, events } = await house(t, { pending: true });
  const begun = Promise.withResolvers<void>();
  opening.meanwhile = async ({ image, signal }) => {
    if (image !== IMAGE) return;
    begun.resolve();
    await new Promise((resolve) => signal?.addEventListener("abort", resolve));
    throw signal?.reason;
  };
  const first = await worker();
  await begun.promise;
  await first.close();
  opening.meanwhile = async () => {};
  await send();
  await worker();
  const log = await events((entries) => idles(entries) === 1);
  assert.deepEqual([asked, ran], [[null, IMAGE, IMAGE], BOTH]);
  assert.equal(log.filter(({ type }) => type === "session.devcontainer_read").length, 1);
});

test("an interrupt while the sandbox with the image is opened → the turn ends, and the next one has it", async (t) => {
  const { asked, ran, opening, worker, send, interrupt, events } = await house(t);
  const [begun, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  opening.meanwhile = async ({ image }) => {
    if (image !== IMAGE) return;
    begun.resolve();
    await goOn.promise;
  };
  await send();
  await worker();
  await begun.promise;
  await interrupt();
  await events((entries) => idles(entries) === 1);
  goOn.resolve();
  await send();
  await events((entries) => idles(entries) === 2);
  assert.deepEqual([asked, ran], [[null, IMAGE], BOTH]);
});

test("an image that cannot be run → told once, and the usual one is there from then on", async (t) => {
  const { asked, ran, opening, worker, send, events } = await house(t);
  opening.meanwhile = async ({ image }) => {
    if (image === IMAGE) throw new ImageError('The image "x" cannot be run.');
  };
  await send();
  const first = await worker();
  const log = await events((entries) => idles(entries) === 1);
  assert.deepEqual(
    [asked, ran],
    [
      [null, IMAGE, null],
      ["set-up in null", "command in null"],
    ],
  );
  const reads = log.filter((event) => event.type === "session.devcontainer_read");
  assert.deepEqual(
    reads.map(({ image, honoured, not_honoured: not }) => [image, honoured, not]),
    [
      [IMAGE, ["image", "postCreateCommand"], []],
      [null, ["postCreateCommand"], [{ property: "image", reason: 'the image "x" cannot be run' }]],
    ],
  );
  const errors = log.flatMap((event) => (event.type === "session.error" ? [event.error] : []));
  assert.deepEqual(
    errors.map(({ type, message }) => [type, message]),
    [
      [
        "environment_error",
        'The session runs without the image of .devcontainer.json: the image "x" cannot be run.',
      ],
    ],
  );
  await first.close();
  await worker();
  await send();
  await events((entries) => idles(entries) === 2);
  assert.deepEqual(asked, [null, IMAGE, null, null]);
});

test("no room, or no sandbox with any image → the image is not to blame, and is tried again", async (t) => {
  for (const failure of [new NoRoomError(), new SandboxError("The engine is away.")]) {
    const { asked, ran, opening, worker, send, events } = await house(t);
    let tries = 0;
    opening.meanwhile = async () => {
      tries += 1;
      if (tries > 1) throw failure;
    };
    await send();
    await worker();
    const log = await events((entries) => idles(entries) === 1);
    const errors = log.flatMap((event) => (event.type === "session.error" ? [event.error.type] : []));
    assert.ok(errors.length > 0 && errors.every((type) => type === "sandbox_error"), errors.join());
    opening.meanwhile = async () => {};
    await send();
    await events((entries) => idles(entries) === 2);
    assert.deepEqual([asked.at(-1), ran], [IMAGE, BOTH]);
  }
});
