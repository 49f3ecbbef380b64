import type { Requirement } from "./requirement.ts";

export const uploadRequirements: readonly Requirement[] = [
  {
    id: "files-announce",
    source: "api 4",
    rule: "POST /files with JSON answers a pending file; PUT of its content makes it ready, with its size and sha256, and a second PUT is 409 conflict_error.",
  },
  {
    id: "files-pending",
    source: "seed 3, api 4",
    rule: "A file that is not ready has no content to read (409 conflict_error), and is attached neither to a new session (409 conflict_error) nor to one that is there (409 invalid_request_error).",
  },
  {
    id: "files-resume",
    source: "api 4",
    rule: "Content may come in parts by content-range; the answer's range and uploaded_bytes, and a question without a body, tell how much has arrived. A part elsewhere is 409 and names the place expected. What was acknowledged outlasts a service that is killed.",
  },
  {
    id: "files-fit",
    source: "api 4",
    rule: "Content that differs from the announced size, or from its own content-range, is 400, and the file stays pending.",
  },
  {
    id: "files-pending-limit",
    source: "api 4",
    rule: "An owner has at most 100 pending files, however many are announced at once: one more is 409 conflict_error until one is sent or deleted; other owners announce theirs.",
  },
  {
    id: "limits-exact",
    source: "seed 8, api 2",
    rule: "A JSON body and an upload of exactly their limits are taken; one byte more is 400 invalid_request_error.",
  },
];
