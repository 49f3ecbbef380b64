import type { Requirement } from "./requirement.ts";

/** What holds for every noun alike. */
export const conventions: readonly Requirement[] = [
  {
    id: "page-every-list",
    source: "seed 4.9",
    rule: "Every list of the document has the envelope, the bounds and messages of limit, newest first, and pages that lead from one to the next; those that take anchors refuse two cursors at once, and cursors of other lists.",
  },
  {
    id: "page-list-ends",
    source: "seed 4.9",
    rule: "A list that is empty, or whose end an anchor has reached, answers no data, no cursor, no ids, and has_more false.",
  },
  {
    id: "reference-unknown",
    source: "seed 7.2",
    rule: "What a body names by id and nobody has is 404 not_found_error with the id in the message, whatever follows the prefix; text without the prefix is 400 with param.",
  },
  {
    id: "id-out-of-range",
    source: "seed 4.9",
    rule: "An anchor or filter whose characters are those of an id and whose number is that of none is 400 with param.",
  },
  {
    id: "noun-metadata",
    source: "api 2",
    rule: "Every noun that has metadata patches it by key, null takes a pair or all away, and 16 pairs, 64 characters of a key and 512 of a value are its bounds.",
  },
  {
    id: "noun-archive",
    source: "seed 5",
    rule: "Every noun that can be archived is so for good: archiving again changes nothing, it is read, its update is 403 permission_error, and lists have it on request alone.",
  },
  {
    id: "noun-delete",
    source: "api 2",
    rule: "Every noun that can be deleted answers id and its type with _deleted, and is then 404 and in no list.",
  },
];
