import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { type S3Host, startS3Host } from "../../../tests/s3-host/s3-host.ts";
import { openDiskBlobs } from "../src/blobs/disk/disk-blobs.ts";
import type { BlobStore } from "../src/blobs/interface/blob-store.ts";
import { openBlobs } from "../src/blobs/open-blobs.ts";
import { type TestDatabase, testDatabase } from "./database.ts";

/** A test's store, empty at first. */
export interface TestStore {
  blobs: BlobStore;
  db: TestDatabase;
  /** Opens the same store as another process does. */
  another(dataDir?: string): Promise<BlobStore>;
}

export interface S3TestStore extends TestStore {
  s3: S3Host;
  directory: string;
}

export async function diskStore(t: TestContext): Promise<TestStore> {
  const [directory, db] = [temporary(t), await testDatabase(t)];
  const another = () => openDiskBlobs(directory);
  return { blobs: await another(), db, another };
}

export async function s3Store(t: TestContext, cacheMb = 64): Promise<S3TestStore> {
  const s3 = await startS3Host();
  t.after(s3.close);
  const place = `s3://${s3.bucket}/some/prefix?endpoint=${s3.endpoint}`;
  return { ...(await storeAt(t, place, cacheMb)), s3 };
}

/** Opens a store in a bucket. No other store uses its prefix. */
export async function storeAt(
  t: TestContext,
  blobs: string,
  cacheMb = 64,
): Promise<TestStore & { directory: string }> {
  const [db, directory] = [await testDatabase(t), temporary(t)];
  const another = async (dataDir = temporary(t)) => {
    const proxies = { httpsProxy: null, httpProxy: null, noProxy: [] };
    const store = await openBlobs({ dataDir, blobs, blobCacheMb: cacheMb, ...proxies }, db);
    t.after(() => store.close());
    return store;
  };
  return { blobs: await another(directory), db, another, directory };
}

function temporary(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), "berth-blobs-"));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
