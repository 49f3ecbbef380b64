import { type Data, type EventReader, IGNORED, isObject, picked, type StreamNotes } from "./event-rules.ts";
import { addReasoningDetails } from "./reasoning-details.ts";

/**
 * Converts the chunks of a Chat Completions stream to the form that the AI SDK requires. Fields that it does
 * not know, or whose type it does not expect, are dropped; so are chunks with neither a choice nor usage.
 */
export function chatEvents(notes: StreamNotes): EventReader {
  const calls = new CallIndexes();
  return (data) => {
    if (isFailure(data)) return { failure: data };
    const [choice] = Array.isArray(data.choices) ? data.choices.filter(isObject) : [];
    const usage = usageOf(data, choice);
    if (choice === undefined && usage === undefined) return IGNORED;
    const chunk = picked(data, ["id", "model"], "string");
    const choices = choice === undefined ? [] : [choiceOf(choice, notes, calls)];
    return { events: [{ ...chunk, choices, ...(usage === undefined ? {} : { usage }) }] };
  };
}

function isFailure(data: Data): boolean {
  if (data.object === "error" || data.type === "error") return true;
  if ((data.error ?? null) !== null && data.error !== false && data.error !== "") return true;
  return data.choices === undefined && (data.detail ?? data.message) !== undefined;
}

/** Finds usage at the top level, or where Groq and Kimi put it. */
function usageOf(data: Data, choice: Data | undefined): Data | undefined {
  const groq = isObject(data.x_groq) ? data.x_groq.usage : undefined;
  return [data.usage, choice?.usage, groq].find(isObject);
}

function choiceOf(choice: Data, notes: StreamNotes, calls: CallIndexes): Data {
  const { finish_reason: reason } = choice;
  const said = typeof reason === "string" && reason !== "" ? reason : null;
  if (said !== null) notes.finishReason = said;
  return { index: 0, delta: deltaOf(choice, notes, calls), finish_reason: said };
}

/** Converts a delta. A server that sends the response in one piece may call it `message`. */
function deltaOf(choice: Data, notes: StreamNotes, indexes: CallIndexes): Data {
  const delta = isObject(choice.delta) ? choice.delta : isObject(choice.message) ? choice.message : {};
  noteReasoning(delta, notes);
  addReasoningDetails(notes.reasoningDetails, delta.reasoning_details);
  const calls = Array.isArray(delta.tool_calls) ? indexes.of(delta.tool_calls.flatMap(toolCall)) : [];
  const isContent = typeof delta.content === "string" || Array.isArray(delta.content);
  return {
    ...picked(delta, ["reasoning_content", "reasoning", "refusal"], "string"),
    ...(isContent ? { content: contentOf(delta.content) } : {}),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

function contentOf(content: unknown): unknown {
  return Array.isArray(content)
    ? content.filter((part) => isObject(part) && typeof part.type === "string")
    : content;
}

function noteReasoning(delta: Data, notes: StreamNotes): void {
  if (isText(delta.reasoning) && !isText(delta.reasoning_content)) notes.reasoningField = "reasoning";
  const isThinking = (part: unknown) => isObject(part) && part.type === "thinking";
  if (Array.isArray(delta.content) && delta.content.some(isThinking)) notes.reasoningField = "thinking";
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

/** Converts a piece of a call. Some servers end each call with an empty id or name in its later pieces. */
function toolCall(call: unknown): Data[] {
  if (!isObject(call) || !isObject(call.function)) return [];
  const { name, arguments: given } = call.function;
  const input =
    typeof given === "string" || given === undefined || given === null ? given : JSON.stringify(given);
  return [
    {
      ...picked(call, ["index"], "number"),
      ...(isText(call.id) ? { id: call.id } : {}),
      function: { ...(isText(name) ? { name } : {}), ...(input === undefined ? {} : { arguments: input }) },
      ...(isObject(call.extra_content) ? { extra_content: call.extra_content } : {}),
    },
  ];
}

/**
 * Adds to each piece of a call the index of its call if the server sends none. A piece with a new id begins a
 * call; a piece without id continues the calls that began last, in their order.
 */
class CallIndexes {
  readonly #byId = new Map<unknown, number>();
  #next = 0;
  /** Index of the first call in the newest chunk that began calls. */
  #first = 0;

  of(pieces: readonly Data[]): Data[] {
    const begins = pieces.some(({ id }) => id !== undefined && !this.#byId.has(id));
    if (begins) this.#first = this.#next;
    return pieces.map((piece, position) => ({ ...piece, index: this.#indexOf(piece, position) }));
  }

  #indexOf({ id, index }: Data, position: number): number {
    if (typeof index === "number") {
      this.#next = Math.max(this.#next, index + 1);
      if (id !== undefined) this.#byId.set(id, index);
      return index;
    }
    if (id === undefined) return this.#first + position;
    const known = this.#byId.get(id);
    if (known !== undefined) return known;
    this.#byId.set(id, this.#next);
    return this.#next++;
  }
}
