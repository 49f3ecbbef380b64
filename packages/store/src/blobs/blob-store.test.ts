import { describeStore } from "../../test-support/blob-store-suite.ts";
import { diskStore, s3Store } from "../../test-support/blob-stores.ts";

describeStore("a directory", diskStore);
describeStore("S3", (t) => s3Store(t));
