// Subject: contents in a real server of the S3 protocol, OpenStack Swift.
import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import { buffer } from "node:stream/consumers";
import { after, before, describe, type TestContext, test } from "node:test";
import {
  missingForSwift,
  SWIFT_CREDENTIALS,
  type SwiftHost,
  startSwift,
} from "../../../../../tests/s3-host/swift-host.ts";
import { describeStore } from "../../../test-support/blob-store-suite.ts";
import { storeAt } from "../../../test-support/blob-stores.ts";
import { pieces } from "../../../test-support/pieces.ts";
import { createS3Client } from "./s3-client.ts";
import { S3Objects } from "./s3-objects.ts";
import { parseS3Place } from "./s3-place.ts";

const MIB = 1_048_576;
const NO_PROXIES = { httpsProxy: null, httpProxy: null, noProxy: [] };

describe("OpenStack Swift", { skip: missingForSwift() }, () => {
  let swift: SwiftHost;
  before(async () => {
    swift = await startSwift();
  });
  after(() => swift.close());

  const newPlace = () => `s3://${swift.bucket}/${randomUUID()}?endpoint=${swift.endpoint}`;
  const open = (t: TestContext) => storeAt(t, newPlace());

  describeStore("Swift", open);

  test("uploads that nobody completes → ended by the sweep, and no other", async (t) => {
    const text = newPlace();
    const { blobs } = await storeAt(t, text);
    const place = parseS3Place(text);
    const objects = new S3Objects(createS3Client(place, NO_PROXIES), place);
    t.after(() => objects.close());
    const going = randomUUID();
    await blobs.partial(going).append(0, pieces(randomBytes(9 * MIB)), async () => undefined);
    await objects.createUpload("staged/of-nobody");
    await objects.createUpload(`growing/${randomUUID()}`);
    const later = new Date(Date.now() + 60_000);
    assert.equal((await objects.uploadsBefore(later)).length, 3);
    await blobs.removeAbandoned(-60_000);
    assert.deepEqual(
      (await objects.uploadsBefore(later)).map(({ key }) => key),
      [`growing/${going}.1`],
    );
    await blobs.partial(going).remove();
    assert.deepEqual(await objects.uploadsBefore(later), []);
  });

  test("a content that is larger than one copy may be → copied in parts", async (t) => {
    const place = parseS3Place(newPlace());
    const objects = new S3Objects(createS3Client(place, NO_PROXIES), place, 5 * MIB);
    t.after(() => objects.close());
    const content = randomBytes(12 * MIB);
    await objects.put("from", content);
    await objects.copy("from", "to", content.length);
    const copied = await objects.get("to");
    assert.deepEqual(copied && (await buffer(copied.body)), content);
  });

  test("a wrong secret, an unknown key, another bucket → one sentence", async (t) => {
    const said = async (text: string, credentials: Partial<typeof SWIFT_CREDENTIALS>) => {
      Object.assign(process.env, SWIFT_CREDENTIALS, credentials);
      t.after(() => Object.assign(process.env, SWIFT_CREDENTIALS));
      const { blobs } = await storeAt(t, text);
      return await blobs.check().then(
        () => "",
        ({ message }: Error) => message,
      );
    };
    assert.match(
      await said(newPlace(), { AWS_SECRET_ACCESS_KEY: "wrong" }),
      /refuses the credentials \(SignatureDoesNotMatch\)\.$/,
    );
    assert.match(
      await said(newPlace(), { AWS_ACCESS_KEY_ID: "test:other" }),
      /refuses the credentials|do not permit/,
    );
    assert.match(
      await said(newPlace().replace(swift.bucket, "absent"), {}),
      /^There is no bucket 'absent' at http/,
    );
  });
});
