import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Demultiplexer } from "./demultiplex.ts";

function frame(stream: number, body: Uint8Array): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt8(stream, 0);
  header.writeUInt32BE(body.length, 4);
  return Buffer.concat([header, body]);
}

test("demultiplexer: standard output is complete, however the stream is split", async () => {
  const bodies = fc.array(fc.tuple(fc.integer({ min: 0, max: 2 }), fc.uint8Array({ maxLength: 40 })));
  await fc.assert(
    fc.asyncProperty(
      bodies,
      fc.array(fc.integer({ min: 1, max: 17 }), { minLength: 1 }),
      async (all, cuts) => {
        const stream = Buffer.concat(all.map(([kind, body]) => frame(kind, body)));
        const demultiplexer = new Demultiplexer();
        let at = 0;
        for (let index = 0; at < stream.length; index++) {
          const length = cuts[index % cuts.length] ?? 1;
          demultiplexer.write(stream.subarray(at, at + length));
          at += length;
        }
        demultiplexer.end();
        const chunks: Buffer[] = [];
        for await (const chunk of demultiplexer) chunks.push(chunk as Buffer);
        const expected = Buffer.concat(all.filter(([kind]) => kind === 1).map(([, body]) => body));
        assert.deepEqual(Buffer.concat(chunks), expected);
      },
    ),
  );
});
