export { copyContent } from "./blobs/copy-content.ts";
export { contentPath, openDiskBlobs } from "./blobs/disk/disk-blobs.ts";
export type { StagedBlob } from "./blobs/interface/blob.ts";
export type { BlobStore } from "./blobs/interface/blob-store.ts";
export { BlobsUnavailableError } from "./blobs/interface/blobs-unavailable.ts";
export { ContentLostError, SupersededError } from "./blobs/interface/partial-blob.ts";
export { type BlobConfig, openBlobs } from "./blobs/open-blobs.ts";
