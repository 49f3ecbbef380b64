import assert from "node:assert/strict";
import { type AnyJson, assertError, type Json } from "../harness/api.ts";
import { covers } from "../harness/covers.ts";
import {
  makeAgent,
  makeEnvironment,
  makeFile,
  makeSession,
  steps,
  waitForTurn,
} from "../harness/fixtures.ts";
import { sharedService } from "../harness/shared-service.ts";

const { berth, api } = await sharedService();

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const PDF = Buffer.from("%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n");

/** The same image with a width of 9,000 pixels in its header. */
const WIDE = Buffer.from(PNG);
WIDE.writeUInt32BE(9_000, 16);

const base64 = (mediaType: string, data: Buffer): Json => ({
  type: "base64",
  media_type: mediaType,
  data: data.toString("base64"),
});
const byId = (file: AnyJson): Json => ({ type: "file", file_id: file.id });

/** Returns a message to which the model responds "Received." if it contains `expected`. */
function userMessage(expected: string, ...blocks: Json[]): AnyJson {
  const { content } = steps({ say: "Received.", expect: expected }) as AnyJson;
  return { type: "user.message", content: [...content, ...blocks] };
}

/** Sends events, waits for the turn, and returns the stored events and the texts of the agent's messages. */
async function sendEvents(
  session: AnyJson,
  ...events: Json[]
): Promise<{ stored: AnyJson[]; texts: string[] }> {
  const { data } = await api.ok("POST", `/sessions/${session.id}/events`, { events });
  const log = await waitForTurn(api, session.id, data[0].id);
  const texts = log.filter(({ type }) => type === "agent.message").map(({ content }) => content[0].text);
  return { stored: data, texts };
}

covers(["message-image", "message-file"], "images: sent to the model, as base64 and by file_id", async () => {
  const session = await makeSession(api);
  const file = await makeFile(api, PNG, "dot.png", undefined, "image/png");
  const length = PNG.toString("base64").length;
  for (const source of [base64("image/png", PNG), byId(file)]) {
    const block = { type: "image", source };
    const { stored, texts } = await sendEvents(
      session,
      userMessage(`[image/png, ${length} characters]`, block),
    );
    assert.deepEqual(texts, ["Received."]);
    assert.deepEqual(stored[0]?.content[1], block);
  }
  const stored = (await api.ok("GET", `/sessions/${session.id}/events?types[]=user.message`)).data;
  assert.deepEqual(
    stored.map(({ content }: AnyJson) => content[1].source),
    [base64("image/png", PNG), byId(file)],
  );
});

covers(["message-document"], "documents: sent to the model, PDF as a file and text as text", async () => {
  const session = await makeSession(api);
  const file = await makeFile(api, PDF, "paper.pdf", undefined, "application/pdf");
  const notes = await makeFile(api, "from a file", "notes.md", undefined, "text/markdown");
  const length = PDF.toString("base64").length;
  for (const [expected, source] of [
    [`[application/pdf, ${length} characters]`, base64("application/pdf", PDF)],
    [`[application/pdf, ${length} characters]`, byId(file)],
    ["in base64", base64("text/plain", Buffer.from("in base64"))],
    ["inline", { type: "text", media_type: "text/plain", data: "inline" }],
    ["from a file", byId(notes)],
  ] as [string, Json][]) {
    const block = { type: "document", source, title: "Title of it", context: "What it is about" };
    const { stored, texts } = await sendEvents(session, userMessage(expected, block));
    assert.deepEqual(texts, ["Received."], expected);
    assert.deepEqual(stored[0]?.content[1], block);
  }
  const titled = { type: "document", source: byId(notes), title: "Title of it", context: "What it is about" };
  for (const expected of ["Title of it", "What it is about"]) {
    assert.deepEqual((await sendEvents(session, userMessage(expected, titled))).texts, ["Received."]);
  }
});

covers(["message-content-faults", "event-batch"], "invalid content → 400 naming the field", async () => {
  const { id } = await makeSession(api);
  const image = (source: Json): Json => ({ type: "image", source });
  const document = (source: Json): Json => ({ type: "document", source });
  const large = Buffer.alloc(5 * 1024 * 1024 + 1);
  PNG.copy(large);
  for (const [block, param, words] of [
    [image({ type: "url", url: "https://a.example/a.png" }), "source.type", /does not fetch URLs/],
    [document({ type: "url", url: "https://a.example/a.pdf" }), "source.type", /does not fetch URLs/],
    [image({ type: "path", path: "/a" }), "source.type", /must be one of/],
    [image({ type: "base64", media_type: "image/bmp", data: "Qk0=" }), "source.media_type", /must be one of/],
    [image({ type: "base64", media_type: "image/png", data: "no base64!" }), "source.data", /base64/],
    [image({ type: "base64", media_type: "image/png", data: "iVBORw0KGgo" }), "source.data", /base64/],
    [image(base64("image/jpeg", PNG)), "source.data", /image\/jpeg/],
    [document(base64("application/pdf", PNG)), "source.data", /application\/pdf/],
    [image(base64("image/png", PNG.subarray(0, 40))), "source.data", /broken or cut off/],
    [image(base64("image/png", WIDE)), "source.data", /9000 × 1 pixels; at most 8000/],
    [document(base64("application/pdf", PDF.subarray(0, 30))), "source.data", /broken or cut off/],
    [document(base64("text/plain", Buffer.from([0xff, 0xfe]))), "source.data", /text\/plain/],
    [document({ type: "text", media_type: "text/plain", data: "" }), "source.data", /empty/],
    [{ ...(image(base64("image/png", PNG)) as AnyJson), title: "x" }, "title", /Unknown/],
  ] as [Json, string, RegExp][]) {
    assertError(
      await api.post(`/sessions/${id}/events`, { events: [userMessage("x"), userMessage("x", block)] }),
      400,
      "invalid_request_error",
      { param: `events[1].content[1].${param}`, message: words },
    );
  }
  const many = Array.from({ length: 21 }, () => image(base64("image/png", PNG)));
  assertError(
    await api.post(`/sessions/${id}/events`, { events: [userMessage("x", ...many)] }),
    400,
    "invalid_request_error",
    { param: "events[0].content[21]" },
  );
  const file = await makeFile(api, large, "large.png", undefined, "image/png");
  assertError(
    await api.post(`/sessions/${id}/events`, { events: [userMessage("x", image(byId(file)))] }),
    400,
    "invalid_request_error",
    { param: "events[0].content[1].source.file_id", message: /larger than 5 MiB/ },
  );
  for (const [bytes, message] of [
    [WIDE, /9000 × 1 pixels/],
    [PNG.subarray(0, 40), /broken or cut off/],
  ] as const) {
    const faulty = await makeFile(api, bytes, "faulty.png", undefined, "image/png");
    assertError(
      await api.post(`/sessions/${id}/events`, { events: [userMessage("x", image(byId(faulty)))] }),
      400,
      "invalid_request_error",
      { param: "events[0].content[1].source.file_id", message },
    );
  }
  assert.deepEqual((await api.ok("GET", `/sessions/${id}/events`)).data, []);
});

covers(
  ["message-file", "files-delete"],
  "file in a message: must exist, be accessible and match the block; cannot be deleted while in use",
  async () => {
    const agent = await makeAgent(api);
    const environment = await makeEnvironment(api);
    const session = await makeSession(api);
    const image = await makeFile(api, PNG, "dot.png", undefined, "image/png");
    const mislabelled = await makeFile(api, "no image", "dot.png", undefined, "image/png");
    const other = await berth.client({ user: "other@example.com" });
    const foreign = await makeFile(other, PNG, "dot.png", undefined, "image/png");
    const block = (type: string, fileId: string): Json => ({
      type,
      source: { type: "file", file_id: fileId },
    });
    const post = (...blocks: Json[]) =>
      api.post(`/sessions/${session.id}/events`, { events: [userMessage("x", ...blocks)] });
    const param = "events[0].content[1].source.file_id";
    const absent = "file_01h00000000000000000000000";
    assertError(await post(block("image", absent)), 404, "not_found_error", { param });
    assertError(await post(block("image", foreign.id)), 403, "permission_error");
    assertError(await post(block("image", mislabelled.id)), 400, "invalid_request_error", { param });
    assertError(await post(block("document", image.id)), 400, "invalid_request_error", { param });
    assertError(
      await api.post("/sessions", {
        agent: agent.id,
        environment_id: environment.id,
        initial_events: [userMessage("x", block("image", absent))],
      }),
      404,
      "not_found_error",
      { param: "initial_events[0].content[1].source.file_id" },
    );
    const created = await api.ok("POST", "/sessions", {
      agent: agent.id,
      environment_id: environment.id,
      initial_events: [userMessage("image/png", block("image", image.id))],
    });
    assertError(await api.delete(`/files/${image.id}`), 409, "conflict_error");
    await api.ok("POST", `/sessions/${created.id}/archive`, {});
    assert.equal((await api.delete(`/files/${image.id}`)).status, 200);
  },
);

covers(["system-message"], "system.message: sent with the next request and starts no turn", async () => {
  const session = await makeSession(api);
  const operator = { type: "system.message", content: [{ type: "text", text: "The office is closed." }] };
  const { data } = await api.ok("POST", `/sessions/${session.id}/events`, { events: [operator] });
  assert.equal(data[0].processed_at, null);
  assert.deepEqual(data[0].content, operator.content);
  const { texts } = await sendEvents(session, userMessage("The office is closed."));
  assert.deepEqual(texts, ["Received."]);
  const log = (await api.ok("GET", `/sessions/${session.id}/events`)).data;
  assert.equal(log.filter(({ type }: AnyJson) => type === "session.status_running").length, 1);
  assert.match(log[0].processed_at, /Z$/);
  const post = (...events: Json[]) => api.post(`/sessions/${session.id}/events`, { events });
  assertError(await post(operator, userMessage("x")), 400, "invalid_request_error", {
    param: "events[0].type",
  });
  assertError(await post(operator, operator), 400, "invalid_request_error", { param: "events[0].type" });
  assertError(
    await post({ type: "system.message", content: [{ type: "image", source: base64("image/png", PNG) }] }),
    400,
    "invalid_request_error",
    { param: "events[0].content[0].type" },
  );
});
