declare module "s3rver" {
  import type { RequestListener } from "node:http";

  /** What tests use of it. */
  class S3rver {
    constructor(options: {
      directory: string;
      silent: boolean;
      allowMismatchedSignatures: boolean;
      configureBuckets: { name: string }[];
    });
    configureBuckets(): Promise<void>;
    callback(): RequestListener;
  }
  export = S3rver;
}
