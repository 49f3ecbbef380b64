import type { EventOf, ModelUsage, SessionEvent, SessionResource, StopReason } from "@berth/sdk";
import { Clones } from "./clones.ts";
import { wholeText } from "./live-messages.ts";
import type { Palette } from "./palette.ts";
import { cut, firstLines, plainLine, plainText } from "./plain-text.ts";
import { addUsage, count, duration, noUsage, tokens } from "./quantities.ts";
import { rehearsalLine } from "./rehearsal.ts";
import { toolLine } from "./tool-line.ts";

/** Lines to print for one event, and how they stand to what is above: apart, or in one group with other notes. */
export interface Block {
  place: "apart" | "note";
  lines: string[];
}

type Call = EventOf<"agent.tool_use" | "agent.mcp_tool_use" | "agent.custom_tool_use">;
type Result = EventOf<"agent.tool_result" | "agent.mcp_tool_result" | "user.custom_tool_result">;

const endings: Record<StopReason["type"], string> = {
  end_turn: "done",
  cancelled: "interrupted",
  retries_exhausted: "gave up: the model did not answer",
  refusal: "the model refused",
  requires_action: "waits for you",
  max_turns: "stopped: the limit of model requests is reached",
};
const reasons: Record<string, string> = {
  not_allowed: "not allowed by the environment",
  private_address: "a private address",
  no_server_name: "the connection names no host",
  name_mismatch: "the connection names another host",
  unresolvable: "the name does not resolve",
};
const reclaimed = {
  inactivity: "sandbox and disk reclaimed after a time without activity",
  lost: "disk lost, set up anew",
};
const gutter = "  │ ";

/** A session as a person reads it, event by event. Holds what the lines of later events need of earlier ones. */
export class Transcript {
  readonly #palette: Palette;
  readonly #width: number;
  readonly #live: boolean;
  readonly #clones: Clones;
  readonly #calls = new Map<string, Call>();
  /** Calls that the turn ended with, by what they wait for. */
  readonly #waiting = new Map<string, Call>();
  #thinking = false;
  #since = 0;
  #turn: { began: string | null; usage: ModelUsage } = { began: null, usage: noUsage };

  /** `live` says that `status` is shown as well, so that progress needs no lines. */
  constructor(options: {
    palette: Palette;
    width: number;
    live: boolean;
    resources: readonly SessionResource[];
  }) {
    this.#palette = options.palette;
    this.#width = options.width;
    this.#live = options.live;
    this.#clones = new Clones(options.resources);
  }

  /** What to print for the event, or null for nothing. */
  take(event: SessionEvent): Block | null {
    const { bold, dim, yellow } = this.#palette;
    switch (event.type) {
      case "user.message":
        return apart(this.#asked(event));
      case "user.interrupt":
        return apart([yellow("interrupt")]);
      case "user.tool_confirmation":
        return note(event.result === "allow" ? dim("allowed") : yellow("denied"));
      case "agent.message":
        return apart(wholeText(event).split("\n"));
      case "agent.tool_use":
      case "agent.mcp_tool_use":
      case "agent.custom_tool_use":
        this.#calls.set(event.id, event);
        this.#since = Date.now();
        return null;
      case "agent.tool_result":
      case "agent.mcp_tool_result":
      case "user.custom_tool_result":
        return this.#returned(event);
      case "agent.context_compacted":
        return note(
          dim(
            `context compacted: ${count(event.input_tokens_before)} → ${count(event.input_tokens_after)} tokens`,
          ),
        );
      case "session.status_running":
        this.#turn = { began: event.created_at, usage: noUsage };
        return null;
      case "session.status_idle":
        return this.#ended(event);
      case "session.status_rescheduled":
        return note(yellow("taken up again after a fault"));
      case "session.status_terminated":
        return apart([bold("terminated")]);
      case "session.updated":
        return null;
      case "session.deleted":
        return apart([bold("deleted")]);
      case "session.error":
        return this.#failed(event);
      case "session.container_started":
        return note(dim(`sandbox ready · ${duration(event.seconds)}`));
      case "session.container_reclaimed":
        return note(yellow(reclaimed[event.reason]));
      case "session.resource_progress":
        return this.#progressed(event);
      case "session.resource_ready":
        return this.#ready(event);
      case "session.egress_denied":
        return note(yellow(`blocked ${hostOf(event)}: ${reasons[event.reason] ?? plainLine(event.reason)}`));
      case "span.model_request_start":
        this.#thinking = true;
        this.#since = Date.now();
        return null;
      case "span.model_request_end":
        this.#thinking = false;
        if (event.model_usage !== null) this.#turn.usage = addUsage(this.#turn.usage, event.model_usage);
        return null;
      case "system.message":
        return note(dim(`operator: ${plainLine(textOf(event.content))}`));
      case "agent.thinking":
        return null;
      default:
        return unknownEvent(event);
    }
  }

  /** What to print when the model's answer ended before its end. */
  cutOff(): Block {
    return note(this.#palette.yellow("cut off: the text above is not part of the session"));
  }

  /** What to print when no more events come: the calls that still run, or null. */
  rest(): Block | null {
    const lines = this.#unanswered();
    return lines.length === 0 ? null : apart(lines);
  }

  /** What goes on right now, for a line that is overwritten; null when nothing does. */
  status(now: number): string | null {
    const clones = this.#clones.line();
    const [call, ...others] = this.#calls.values();
    if (call === undefined && !this.#thinking) return clones;
    const seconds = Math.floor((now - this.#since) / 1000);
    const running = call === undefined ? "thinking" : `${plainLine(call.name)}  ${cut(toolLine(call), 50)}`;
    const more = others.length === 0 ? "" : ` and ${others.length} more`;
    const doing = `${running}${more}${seconds < 1 ? "" : ` · ${duration(seconds)}`}`;
    return clones === null ? doing : `${clones} · ${doing}`;
  }

  #asked({ content }: EventOf<"user.message">): string[] {
    const text = textOf(content);
    const { lines, more } = firstLines(plainText(rehearsalLine(text) ?? text), 8);
    const { bold, dim } = this.#palette;
    const shown = lines.map((line, i) =>
      `${i === 0 ? ">" : " "} ${bold(cut(line.trimEnd(), this.#width * 3))}`.trimEnd(),
    );
    return more === 0 ? shown : [...shown, dim(`  … ${count(more)} more lines`)];
  }

  #callLine(event: Call): string {
    const { bold, cyan, yellow } = this.#palette;
    const name = plainLine(event.name);
    const denied =
      event.type !== "agent.custom_tool_use" && event.evaluated_permission === "deny"
        ? yellow(" (denied)")
        : "";
    return `${bold(cyan(name))}  ${cut(toolLine(event), this.#width - name.length - 12)}`.trimEnd() + denied;
  }

  /** A call is printed with its result, so that nothing comes between them; one that waited for an answer is so once more. */
  #returned(event: Result): Block {
    const id = callOf(event);
    const call = this.#calls.get(id) ?? this.#waiting.get(id);
    this.#calls.delete(id);
    this.#waiting.delete(id);
    this.#since = Date.now();
    return apart([...(call === undefined ? [] : [this.#callLine(call)]), ...this.#resultLines(event)]);
  }

  #unanswered(): string[] {
    const lines = [...this.#calls.values()].map((call) => this.#callLine(call));
    for (const [id, call] of this.#calls) this.#waiting.set(id, call);
    this.#calls.clear();
    return lines;
  }

  #resultLines({ content, is_error }: Result): string[] {
    const { dim, red } = this.#palette;
    const { lines, more } = firstLines(plainText(textOf(content)), 5);
    const shown = lines.map((line) => cut(line.trimEnd(), this.#width - gutter.length));
    const text = is_error ? shown : shown.map(dim);
    if (lines.join("") === "") text.splice(0, text.length, dim("(no output)"));
    if (more > 0) text.push(dim(`… ${count(more)} more lines`));
    return text.map((line) => `${(is_error ? red : dim)(gutter)}${line}`.trimEnd());
  }

  #progressed(event: EventOf<"session.resource_progress">): Block | null {
    const first = this.#clones.progress(event);
    return first && !this.#live
      ? note(this.#palette.dim(`cloning ${this.#clones.name(event.resource_id)}`))
      : null;
  }

  #ready(event: EventOf<"session.resource_ready">): Block {
    this.#clones.end(event.resource_id);
    const verb = this.#clones.isRepository(event.resource_id) ? "cloned" : "mounted";
    const commit = event.commit === undefined ? "" : ` at ${plainLine(event.commit).slice(0, 10)}`;
    const name = this.#clones.name(event.resource_id);
    return note(this.#palette.dim(`${verb} ${name}${commit} · ${duration(event.seconds)}`));
  }

  #failed({ error }: EventOf<"session.error">): Block {
    const { red, yellow } = this.#palette;
    this.#clones.end(error.resource_id);
    const message = `${error.type}: ${plainText(error.message)}${this.#where(error)}`;
    return error.retry_status.type === "retrying"
      ? note(yellow(`${message} · trying again`))
      : apart([red(message)]);
  }

  /** Which resource an error is about, where its message does not say so. */
  #where({ resource_id, message }: EventOf<"session.error">["error"]): string {
    if (resource_id === undefined) return "";
    const path = this.#clones.path(resource_id);
    return path !== null && message.includes(path) ? "" : ` (${this.#clones.name(resource_id)})`;
  }

  #ended(event: EventOf<"session.status_idle">): Block {
    const { green, yellow, red, dim } = this.#palette;
    const { type } = event.stop_reason;
    const style =
      type === "end_turn" ? green : type === "cancelled" || type === "requires_action" ? yellow : red;
    const seconds =
      this.#turn.began === null ? null : (Date.parse(event.created_at) - Date.parse(this.#turn.began)) / 1000;
    const facts = [
      ...(seconds === null ? [] : [duration(seconds)]),
      ...(this.#turn.usage === noUsage ? [] : [tokens(this.#turn.usage)]),
    ];
    this.#thinking = false;
    return apart([
      ...this.#unanswered().flatMap((line) => [line, ""]),
      style(endings[type] ?? type) + dim(facts.map((fact) => ` · ${fact}`).join("")),
    ]);
  }
}

function apart(lines: string[]): Block {
  return { place: "apart", lines };
}

function note(...lines: string[]): Block {
  return { place: "note", lines };
}

type Content = (EventOf<"agent.tool_result"> | EventOf<"user.message">)["content"][number];

function textOf(content: readonly Content[]): string {
  return content.map((block) => (block.type === "text" ? block.text : `[${nameOf(block)}]`)).join("\n");
}

/** `image image/png`, `document file_…`. */
function nameOf({ type, source }: Exclude<Content, { type: "text" }>): string {
  return `${type} ${source.type === "file" ? source.file_id : source.media_type}`;
}

function callOf(event: Result): string {
  if (event.type === "agent.tool_result") return event.tool_use_id;
  return event.type === "agent.mcp_tool_result" ? event.mcp_tool_use_id : event.custom_tool_use_id;
}

function hostOf({ host, port }: EventOf<"session.egress_denied">): string {
  return plainLine(port === null || port === 443 ? host : `${host}:${port}`);
}

/** The union is closed for this version; a newer server may know more. */
function unknownEvent(_event: never): null {
  return null;
}
