import type { EventOf } from "@berth/sdk";
import { duration } from "../terminal/quantities.ts";

type Progress = EventOf<"session.environment_progress">;

const PHASES: Record<Progress["phase"], string> = {
  system: "the operating system of sandboxes",
  runtimes: "the environment's runtimes",
  apt_packages: "the environment's apt packages",
  npm_packages: "the environment's npm packages",
  pip_packages: "the environment's pip packages",
  setup_script: "the environment's setup script",
};

/** The wait of a session before its sandbox opens. */
export class EnvironmentWait {
  #current: { phase: Progress["phase"]; since: number } | null = null;

  /** Returns the line to print when a wait starts or ends. */
  take({ phase, seconds, created_at }: Progress): string {
    this.#current = seconds === null ? { phase, since: Date.parse(created_at) } : null;
    const what = PHASES[phase] ?? "the environment";
    return seconds === null ? `waiting for ${what}` : `waited for ${what} · ${duration(seconds)}`;
  }

  /** Called when the sandbox opens, or when the turn ends without one. */
  end(): void {
    this.#current = null;
  }

  /** Returns the text for the status line, or null if there is no wait. */
  status(now: number): string | null {
    if (this.#current === null) return null;
    const seconds = Math.max(1, Math.floor((now - this.#current.since) / 1000) + 1);
    return `waiting for ${PHASES[this.#current.phase] ?? "the environment"} · ${duration(seconds)}`;
  }
}
