import type { Requirement } from "./requirement.ts";

export const s3Requirements: readonly Requirement[] = [
  {
    id: "s3-contents",
    source: "api 4",
    rule: "With BERTH_BLOBS=s3://bucket/prefix the contents of files, of skills and of a session's outputs are in the bucket and nowhere else but in copies below the data directory; they are uploaded, downloaded whole and in ranges, and mounted in sandboxes as those on a disk are.",
  },
  {
    id: "s3-uploads",
    source: "api 4",
    rule: "An upload in parts goes on over any of the services of a database, whichever received the parts before.",
  },
  {
    id: "s3-away",
    source: "api 4",
    rule: "While the bucket cannot be used, requests that need a content are 503 with Retry-After and lose nothing that was acknowledged; everything else, and /readyz, is as ever.",
  },
  {
    id: "s3-start",
    source: "api 4",
    rule: "A service does not start with a bucket that it cannot use, and says why in one sentence without a credential, as berth doctor does.",
  },
  {
    id: "s3-move",
    source: "api 4",
    rule: "berth blobs move copies the contents of a stopped installation to another place and back, each verified by its hash; it goes on after an interruption, leaves out what is there, and changes nothing while a content is missing or damaged.",
  },
  {
    id: "s3-backup",
    source: "api 4",
    rule: "A backup of an installation whose contents are in a bucket says that it has none of them, and restoring it needs that bucket and names the contents that are not there.",
  },
];
