import type { EventOf } from "@berth/sdk";
import { duration } from "../terminal/quantities.ts";

type Progress = EventOf<"session.environment_progress">;

const phases: Record<Progress["phase"], string> = {
  system: "the system of sandboxes",
  apt_packages: "the environment's apt packages",
  npm_packages: "the environment's npm packages",
  pip_packages: "the environment's pip packages",
  setup_script: "the environment's setup script",
};

/** What a session waits for before its sandbox opens. */
export class EnvironmentWait {
  #current: { phase: Progress["phase"]; since: number } | null = null;

  /** The line to print: that it waits, or for how long it did. */
  take({ phase, seconds, created_at }: Progress): string {
    this.#current = seconds === null ? { phase, since: Date.parse(created_at) } : null;
    const what = phases[phase] ?? "the environment";
    return seconds === null ? `waiting for ${what}` : `waited for ${what} · ${duration(seconds)}`;
  }

  /** The sandbox opened, or the turn ended without. */
  end(): void {
    this.#current = null;
  }

  /** For a line that is overwritten; null when nothing is waited for. */
  status(now: number): string | null {
    if (this.#current === null) return null;
    const seconds = Math.max(1, Math.floor((now - this.#current.since) / 1000) + 1);
    return `waiting for ${phases[this.#current.phase] ?? "the environment"} · ${duration(seconds)}`;
  }
}
