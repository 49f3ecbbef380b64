import type { Requirement } from "./requirement.ts";

/** Rules for the API reference, the guides and the front page. */
export const referenceRequirements: readonly Requirement[] = [
  {
    id: "reference-page",
    source: "design",
    rule: "GET /docs shows every operation in a browser, needs no token, asks no other host for anything, and runs under a policy that allows no script but the service's own and no eval.",
  },
  {
    id: "reference-try-it",
    source: "design",
    rule: "An operation can be called from the reference with a token of the reader's, which goes to this service only.",
  },
  {
    id: "reference-examples",
    source: "design",
    rule: "The reference shows how to call an operation by curl, by the command line and by the SDK, and finds operations by words.",
  },
  {
    id: "reference-cached",
    source: "design",
    rule: "What the reference consists of is compressed for clients that accept it, and is not sent again to one that has it.",
  },
  {
    id: "guides-served",
    source: "design",
    rule: "The guides are pages below /docs/guides, without scripts; the links between them lead to each other.",
  },
  {
    id: "front-page",
    source: "design",
    rule: "GET / says where API, reference, guides and health are, as a page to browsers and as JSON to others; HEAD answers on all these paths as GET does.",
  },
];
