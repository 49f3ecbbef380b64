/** The rules for every operation, in Markdown. */
export const introduction = `Every request carries \`Authorization: Bearer TOKEN\`, with a token of \`berth bootstrap\`, but for the two
operations by which a device asks for a token. The examples
are for a shell in which \`BERTH_URL\` (the address of the service), \`BERTH_TOKEN\` and the ids in them are set.
[Guides](/docs/guides) explain how the parts work together.

Lists are newest first unless they say otherwise, with \`limit\` objects on a page (1 to 100, default 20). Pass \`next_page\`
of a response as \`page\` of the next request. \`POST\` and \`DELETE\` accept an \`Idempotency-Key\`: for 24 hours, the same key
with the same request returns the first response again. Errors are \`{type: "error", request_id, error: {type, message,
param?}}\`: branch on \`error.type\`, and retry only responses with 5xx.`;
