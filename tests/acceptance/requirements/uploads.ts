import type { Requirement } from "./requirement.ts";

export const uploadRequirements: readonly Requirement[] = [
  {
    id: "files-announce",
    source: "api 4",
    rule: "POST /files with JSON returns a pending file; PUT of its content makes it ready, with its size and sha256, and a second PUT is rejected with 409 conflict_error.",
  },
  {
    id: "files-pending",
    source: "seed 3, api 4",
    rule: "A file that is not ready has no readable content (409 conflict_error), and cannot be attached to a new session (409 conflict_error) or an existing one (409 invalid_request_error).",
  },
  {
    id: "files-resume",
    source: "api 4",
    rule: "Content may be sent in parts with content-range; the response's range and uploaded_bytes, and a status request without a body, show how much has been received. A part at another offset is rejected with 409 and the expected offset. Acknowledged bytes survive a kill of the service.",
  },
  {
    id: "files-fit",
    source: "api 4",
    rule: "Content that differs from the announced size, or from its own content-range, is rejected with 400, and the file remains pending.",
  },
  {
    id: "files-pending-limit",
    source: "api 4",
    rule: "An owner has at most 100 pending files, also under concurrent requests: another one is rejected with 409 conflict_error until one is uploaded or deleted; other owners are not affected.",
  },
  {
    id: "limits-exact",
    source: "seed 8, api 2",
    rule: "A JSON body and an upload of exactly the limit are accepted; one byte more is rejected with 400 invalid_request_error.",
  },
  {
    id: "second-service-contents",
    source: "api 4",
    rule: "Services of one database share the contents of files: what is uploaded through one is read through the other, and one that does not share them is rejected at its start, with one sentence that says what to set.",
  },
  {
    id: "second-service-parts",
    source: "api 4",
    rule: "The parts of an upload may reach different services of one database: a part waits for the request that another service receives, goes on from its bytes, and never fails the file.",
  },
];
