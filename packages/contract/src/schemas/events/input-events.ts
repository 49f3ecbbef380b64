import { z } from "zod";
import { gatedKind } from "../../conventions/beta.ts";
import { kindsBy } from "../../conventions/fields.ts";
import { answerTypes, customToolResult, toolConfirmation } from "./answers.ts";
import { givenContent, givenText } from "./message-content.ts";

const userMessage = z.strictObject({ type: z.literal("user.message"), content: givenContent });
const userInterrupt = z.strictObject({ type: z.literal("user.interrupt") });
const systemMessage = z.strictObject({
  type: z.literal("system.message"),
  content: z.array(givenText).min(1),
});

const later = ["user.define_outcome"];

/** An event that a client may send. */
export const inputEvent = gatedKind(
  "outcomes",
  "type",
  "user.define_outcome",
  kindsBy("type", [userMessage, userInterrupt, toolConfirmation, customToolResult, systemMessage], later),
);
export type InputEvent = z.output<typeof inputEvent>;

/** What is sent at once: all or none. */
export const inputEvents = z.array(inputEvent).max(50).superRefine(systemMessageLast);

/** What a session begins with: nothing waits for an answer yet. */
export const initialEvents = z
  .array(kindsBy("type", [userMessage, userInterrupt, systemMessage], [...answerTypes, ...later]))
  .max(50)
  .superRefine(systemMessageLast);

/** A `system.message` is for what stands before it, so that it comes last. */
function systemMessageLast(events: readonly InputEvent[], context: z.RefinementCtx): void {
  const place = events.findIndex((event) => event.type === "system.message");
  if (place === -1 || place === events.length - 1) return;
  const message = "A 'system.message' may be there once, as the last of the events.";
  context.addIssue({ code: "custom", path: [place, "type"], message });
}
