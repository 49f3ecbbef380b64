import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import fc from "fast-check";
import { gitSignature, makeSigningKey } from "./ssh-signature.ts";

const run = promisify(execFile);

test("signature: ssh-keygen accepts it for git, for this text and this key alone", async (t) => {
  const directory = await mkdtemp(join(tmpdir(), "signature-"));
  t.after(() => rm(directory, { recursive: true }));
  const [signers, signature] = [join(directory, "signers"), join(directory, "signature")];
  const verify = (text: Uint8Array, namespace = "git") => {
    const words = ["-Y", "verify", "-f", signers, "-I", "agent@example.com", "-n", namespace];
    const child = run("ssh-keygen", [...words, "-s", signature]);
    child.child.stdin?.on("error", () => undefined).end(text);
    return child.then(
      () => true,
      () => false,
    );
  };
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (text) => {
      const { publicKey, privateKey } = makeSigningKey();
      await writeFile(signers, `agent@example.com ${publicKey}\n`);
      await writeFile(signature, gitSignature(privateKey, createHash("sha512").update(text).digest()));
      assert.equal(await verify(text), true);
      assert.equal(await verify(Buffer.concat([text, Buffer.from("x")])), false);
      assert.equal(await verify(text, "file"), false);
      await writeFile(signers, `agent@example.com ${makeSigningKey().publicKey}\n`);
      assert.equal(await verify(text), false);
    }),
    { numRuns: 20 },
  );
});
