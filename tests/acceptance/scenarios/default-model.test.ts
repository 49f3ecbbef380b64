import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { assertError } from "../harness/api.ts";
import { Berth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";

/** A provider that rejects every request, which a run reports immediately. */
const provider = createServer((_, response) => response.writeHead(401).end()).listen(0, "127.0.0.1");
await once(provider, "listening");
const directory = await mkdtemp(join(tmpdir(), "berth-models-"));
after(async () => {
  provider.close();
  await rm(directory, { recursive: true });
});

covers(
  ["agent-default-model"],
  "default model: agents without a model and berth run get it; without one, model is required",
  async (t) => {
    const marked = await serviceWith([
      { id: "local/large" },
      { id: "local/small", context_window: 20_000, default: true },
    ]);
    t.after(() => marked.stop());
    const api = await marked.client();
    const { data } = await api.ok("GET", "/models");
    const listed = data.map(({ id, default: marked, effective_context_window: window, price }: Listed) => [
      id,
      marked,
      window,
      price,
    ]);
    assert.deepEqual(listed.slice(0, 2), [
      ["local/large", false, 32_768, null],
      ["local/small", true, 20_000, null],
    ]);
    const agent = await api.ok("POST", "/agents", { name: "a" });
    assert.deepEqual(agent.model, { id: "local/small", effective_context_window: 20_000 });

    const token = join(directory, "token");
    await writeFile(token, await marked.token());
    await assert.rejects(marked.command("run", "do it", "--token-file", token), { code: 1 });
    const [newest] = (await api.ok("GET", "/agents")).data;
    assert.deepEqual([newest.name, newest.model.id], ["berth run (local/small)", "local/small"]);
    assert.match(
      await marked.command("models", "list", "--token-file", token),
      /^ID +PROVIDER +DEFAULT +EFFECTIVE CONTEXT WINDOW +PRICE$[\s\S]*^local\/small +local +true +20000 +-$[\s\S]*\$0 in, \$0 out/m,
    );

    const unmarked = await serviceWith([{ id: "local/large" }]);
    t.after(() => unmarked.stop());
    assertError(
      await (await unmarked.client()).post("/agents", { name: "a" }),
      400,
      "invalid_request_error",
      {
        message: "Field 'model' is required.",
        param: "model",
      },
    );
    await writeFile(token, await unmarked.token());
    await assert.rejects(unmarked.command("run", "do it", "--token-file", token), {
      code: 2,
      stderr: /No model is set, and the installation has no default\./,
    });
  },
);

interface Listed {
  id: string;
  default: boolean;
  effective_context_window: number;
  price: unknown;
}

async function serviceWith(models: readonly object[]): Promise<Berth> {
  const file = join(directory, "models.json");
  const { port } = provider.address() as AddressInfo;
  const local = { kind: "openai-compatible", base_url: `http://127.0.0.1:${port}/v1` };
  await writeFile(file, JSON.stringify({ providers: { local }, models }));
  return await Berth.start({ settings: { BERTH_MODELS_FILE: file } });
}
