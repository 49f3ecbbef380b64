import type { EventOf, SessionEvent, SessionResource, ToolOutput } from "@berth/sdk";
import type { Palette } from "../terminal/palette.ts";
import { cut, firstLines, plainLine, plainText } from "../terminal/plain-text.ts";
import { count, duration } from "../terminal/quantities.ts";
import { apart, type Block, note } from "../terminal/screen.ts";
import { Activity, type Call } from "./activity.ts";
import { CallLoops } from "./call-loops.ts";
import { Clones } from "./clones.ts";
import { textOf, wholeText } from "./content-text.ts";
import { byWhom, decisionLine, ruleLine, ruleOfCall } from "./decision-line.ts";
import { EnvironmentWait } from "./environment-wait.ts";
import { followLine } from "./follow-line.ts";
import { rehearsalLine } from "./rehearsal.ts";
import { TurnEnd } from "./turn-end.ts";

const DENIAL_REASONS: Record<string, string> = {
  not_allowed: "not allowed by the environment",
  private_address: "a private address",
  no_server_name: "the connection names no host",
  name_mismatch: "the connection names another host",
  unknown_protocol: "neither TLS nor valid HTTP",
  unresolvable: "the name does not resolve",
};
const RECLAIM_REASONS = {
  inactivity: "sandbox and disk removed after inactivity",
  drained: "sandbox and disk removed, because their host is being drained",
  lost: "disk lost, creating a new one",
};

/**
 * Turns the events of a session into text for people. Keeps the state that the text of later events needs.
 */
export class Transcript {
  readonly #palette: Palette;
  readonly #width: number;
  readonly #live: boolean;
  readonly #clones: Clones;
  readonly #wait = new EnvironmentWait();
  readonly #activity: Activity;
  readonly #loops = new CallLoops();
  readonly #turn: TurnEnd;

  /** @param options `live`: a status line is shown as well, so that progress needs no lines of its own. */
  constructor(options: {
    palette: Palette;
    width: number;
    live: boolean;
    resources: readonly SessionResource[];
    waiting?: readonly Call[];
  }) {
    this.#palette = options.palette;
    this.#width = options.width;
    this.#live = options.live;
    this.#clones = new Clones(options.resources);
    this.#activity = new Activity(options.palette, options.width, options.waiting);
    this.#turn = new TurnEnd(options.palette);
  }

  /** Returns the text to print for an event, or null. */
  take(event: SessionEvent): Block | null {
    if (event.type === "span.model_request_end" && event.model_usage !== null)
      this.#turn.spend(event.model_usage);
    return this.#loops.take(event) ? null : this.#takeOwn(event);
  }

  #takeOwn(event: SessionEvent): Block | null {
    const { bold, dim, yellow } = this.#palette;
    switch (event.type) {
      case "user.message":
        return apart(this.#asked(event));
      case "user.interrupt":
        return apart([yellow("interrupt")]);
      case "user.tool_confirmation":
        return note((event.result === "allow" ? dim : yellow)(decisionLine(event)));
      case "agent.message":
        return apart(wholeText(event).split("\n"));
      case "agent.tool_use":
      case "agent.mcp_tool_use":
      case "agent.custom_tool_use":
        this.#activity.begin(event);
        return "confirmation_rule" in event && event.confirmation_rule !== undefined
          ? note(dim(ruleOfCall(event.confirmation_rule)))
          : null;
      case "agent.tool_result":
        return apart(this.#activity.finish(event, this.#loops.end(event.tool_use_id)));
      case "agent.mcp_tool_result":
      case "user.custom_tool_result":
        return apart(this.#activity.finish(event));
      case "agent.context_compacted":
        return note(
          dim(
            `context compacted: ${count(event.input_tokens_before)} → ${count(event.input_tokens_after)} tokens`,
          ),
        );
      case "agent.content_omitted":
        return note(yellow(omittedLine(event)));
      case "session.status_running":
        this.#turn.begin(event.created_at);
        return null;
      case "session.status_idle":
        return this.#ended(event);
      case "session.status_rescheduled":
        return note(yellow(waitingLine(event)));
      case "session.status_terminated":
        return apart([bold("terminated")]);
      case "session.updated":
      case "session.usage":
        return null;
      case "session.confirmation_rule_added":
        return note(dim(`always allowed in this session${byWhom(event)}: ${ruleLine(event)}`));
      case "session.confirmation_rule_removed":
        return note(dim(`no longer always allowed${byWhom(event)}: ${ruleLine(event)}`));
      case "session.follow_started":
      case "session.follow_handed_over":
      case "session.follow_stopped":
        return note(dim(plainLine(followLine(event))));
      case "session.deleted":
        return apart([bold("deleted")]);
      case "session.error":
        return this.#failed(event);
      case "session.environment_progress":
        return this.#waited(event);
      case "session.runtimes_chosen":
        return note(dim(plainLine(chosenLine(event))));
      case "session.devcontainer_read":
        return note(dim(plainLine(devcontainerLine(event))));
      case "session.container_started":
        this.#wait.end();
        return note(
          dim(
            `sandbox ready · ${duration(event.seconds)}${restoredNote(event.restored)}${loweredNote(event.lowered_limits)}`,
          ),
        );
      case "session.container_reclaimed":
        return note(yellow(`${RECLAIM_REASONS[event.reason]}${savedNote(event.save)}`));
      case "session.events_deleted":
        return note(dim("earlier events were deleted after their retention"));
      case "session.resource_progress":
        return this.#progressed(event);
      case "session.resource_ready":
        return this.#ready(event);
      case "session.egress_denied":
        return note(
          yellow(`blocked ${hostOf(event)}: ${DENIAL_REASONS[event.reason] ?? plainLine(event.reason)}`),
        );
      case "span.model_request_start":
        this.#activity.think();
        return null;
      case "span.model_request_end":
        this.#activity.stopThinking();
        return null;
      case "system.message":
        return note(dim(`operator: ${plainLine(textOf(event.content))}`));
      case "agent.thinking":
        return null;
      default:
        return unknownEvent(event);
    }
  }

  /** Adds output of a running call, which is shown above the status line. */
  printed(piece: ToolOutput): void {
    this.#activity.printed(piece);
  }

  /** Returns the note after a message that the model did not finish. */
  cutOff(): Block {
    return note(this.#palette.yellow("cut off: the text above is not part of the session"));
  }

  /** Returns the text to print after the last event: calls that are still running, or null. */
  rest(): Block | null {
    const lines = this.#activity.unfinished();
    return lines.length === 0 ? null : apart(lines);
  }

  /**
   * Returns the status line, below the last lines of a running call's output, or null if nothing is running.
   */
  status(now: number): string | null {
    const line = this.#statusLine(now);
    return line === null ? null : [...this.#activity.printedLines(), line].join("\n");
  }

  #statusLine(now: number): string | null {
    const parts = [this.#wait.status(now), this.#clones.line(), this.#activity.status(now)].filter(
      (part) => part !== null,
    );
    return parts.length === 0 ? null : parts.join(" · ");
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

  /** Prints the start and end of a wait. With a status line, prints only the end, with its duration. */
  #waited(event: EventOf<"session.environment_progress">): Block | null {
    const line = this.#wait.take(event);
    return this.#live && event.seconds === null ? null : note(this.#palette.dim(line));
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
      ? note(yellow(`${message} · retrying`))
      : apart([red(message)]);
  }

  /** Returns the name of an error's resource, unless the message already contains its path. */
  #where({ resource_id, message }: EventOf<"session.error">["error"]): string {
    if (resource_id === undefined) return "";
    const path = this.#clones.path(resource_id);
    return path !== null && message.includes(path) ? "" : ` (${this.#clones.name(resource_id)})`;
  }

  #ended(event: EventOf<"session.status_idle">): Block {
    this.#wait.end();
    this.#activity.stopThinking();
    const unfinished = this.#activity.unfinished().flatMap((line) => [line, ""]);
    return apart([...unfinished, this.#turn.line(event)]);
  }
}

/** Returns `not sent to the model:  2 images, 1 tool (find_files): acme answered 400: …`. */
function omittedLine({ reason, omitted }: EventOf<"agent.content_omitted">): string {
  const parts = omitted.map(({ type, count: amount, names = [] }) => {
    const what = `${count(amount)} ${type.replace("_", " ")}${amount === 1 ? "" : "s"}`;
    return names.length === 0 ? what : `${what} (${names.map(plainLine).join(", ")})`;
  });
  return `not sent to the model: ${parts.join(", ")}: ${plainLine(reason)}`;
}

/** Returns `retrying at 14:05:09`, in the time zone of the terminal, or why the session waits. */
function waitingLine({ retry_at, reason }: EventOf<"session.status_rescheduled">): string {
  if (reason !== undefined) return plainLine(reason);
  if (retry_at === undefined) return "waiting, continues as soon as possible";
  return `retrying at ${new Date(retry_at).toTimeString().slice(0, 8)}`;
}

function hostOf({ host, port }: EventOf<"session.egress_denied">): string {
  return plainLine(port === null || port === 443 ? host : `${host}:${port}`);
}

/** Returns one line with what the session chose from its repositories, and from which lines. */
function chosenLine({ runtimes, missing, ignored }: EventOf<"session.runtimes_chosen">): string {
  const chosen = runtimes.map(
    ({ runtime, version, file, line }) => `${runtime} ${version} (${file}:${line})`,
  );
  const absent = missing.map(({ runtime, asked, file, line, available }) => {
    const instead = available.length === 0 ? "" : `; available: ${available.join(", ")}`;
    return `${runtime} ${asked} (${file}:${line}) is not available${instead}`;
  });
  const left =
    ignored.length === 0 ? [] : [`${ignored.length} ${ignored.length === 1 ? "line" : "lines"} ignored`];
  const parts = [...chosen, ...absent, ...left];
  return parts.length === 0 ? "no repository asks for a runtime" : `runtimes: ${parts.join(" · ")}`;
}

/** Returns one line with what the session follows of a `devcontainer.json`, and what it does not. */
function devcontainerLine({
  file,
  error,
  honoured,
  not_honoured: not,
  image,
}: EventOf<"session.devcontainer_read">): string {
  if (error !== null) return `${file ?? "devcontainer.json"} is not followed: ${error}`;
  const left = [...new Set(not.map(({ property }) => property))];
  const followed = honoured.map((property) => (property === "image" ? `image ${image}` : property));
  const parts = [followed.join(", ") || "nothing", ...(left.length === 0 ? [] : [`not ${left.join(", ")}`])];
  return `${file ?? "devcontainer.json"}: ${parts.join(" · ")}`;
}

/** Returns a note about limits that the operator has lowered below those of the environment. */
function loweredNote(limits: EventOf<"session.container_started">["lowered_limits"]): string {
  const told = Object.entries(limits ?? {}).map(([name, value]) => `${name} ${value}`);
  return told.length === 0 ? "" : ` · at most ${told.join(", ")}`;
}

function savedNote(save: EventOf<"session.container_reclaimed">["save"]): string {
  if (save === undefined) return "";
  const { saved_at: at, lost_calls: lost } = save;
  return ` · saved at ${at}, ${lost === 0 ? "nothing done since" : `${lost} tool ${lost === 1 ? "call" : "calls"} since then lost`}`;
}

function restoredNote(restored: EventOf<"session.container_started">["restored"]): string {
  return restored === undefined ? "" : ` · disk as saved at ${restored.saved_at}`;
}

/**
 * Ignores an event type that this version does not know. The compiler checks that all known ones are handled.
 */
function unknownEvent(_event: never): null {
  return null;
}
