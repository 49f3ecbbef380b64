import type { EventOf, SessionResource } from "@berth/sdk";
import { cut, plainLine } from "../terminal/plain-text.ts";

type Progress = EventOf<"session.resource_progress">;

const PHASES: Record<Progress["phase"], string> = {
  waiting: "waiting",
  counting: "counting objects",
  receiving: "receiving objects",
  resolving: "resolving deltas",
  checking_out: "checking out files",
  setting_up: "running the setup script",
};
const BAR_WIDTH = 24;

/** The names of a session's resources, and the progress of each. */
export class Clones {
  readonly #names: ReadonlyMap<string, SessionResource>;
  readonly #running = new Map<string, Progress>();

  constructor(resources: readonly SessionResource[]) {
    this.#names = new Map(resources.map((resource) => [resource.id, resource]));
  }

  /** Returns `org/repo → /data/repo`, or the id of an unknown resource. */
  name(resourceId: string | undefined): string {
    const resource = resourceId === undefined ? undefined : this.#names.get(resourceId);
    if (resource === undefined) return plainLine(resourceId ?? "a resource");
    return plainLine(`${shortName(resource)} → ${resource.mount_path}`);
  }

  /** Returns the mount path, or null for an unknown resource. */
  path(resourceId: string): string | null {
    return this.#names.get(resourceId)?.mount_path ?? null;
  }

  isRepository(resourceId: string): boolean {
    const type = this.#names.get(resourceId)?.type;
    return type !== "file" && type !== "memory_store";
  }

  /** Records progress. Returns true for the first event of a resource. */
  progress(event: Progress): boolean {
    const first = !this.#running.has(event.resource_id);
    this.#running.set(event.resource_id, event);
    return first;
  }

  end(resourceId: string | undefined): void {
    if (resourceId !== undefined) this.#running.delete(resourceId);
  }

  /** Returns one line for all running clones, or null. */
  line(): string | null {
    const running = [...this.#running.values()];
    const [only] = running;
    if (only === undefined) return null;
    if (running.length > 1)
      return `cloning ${running.map((one) => `${this.#short(one)} ${percent(one)}`).join(", ")}`;
    return `cloning ${this.#short(only)}  ${bar(only)}  ${PHASES[only.phase]} ${percent(only)}`.trimEnd();
  }

  #short(event: Progress): string {
    const resource = this.#names.get(event.resource_id);
    return cut(plainLine(resource === undefined ? event.resource_id : shortName(resource)), 40);
  }
}

function shortName(resource: SessionResource): string {
  if (resource.type === "file") return resource.file_id;
  if (resource.type === "memory_store") return resource.name;
  return resource.url.replace(/^https?:\/\/[^/]+\//, "");
}

function percent({ percent: value }: Progress): string {
  return value === null ? "" : `${Math.floor(value)} %`;
}

function bar({ percent: value }: Progress): string {
  const full = Math.round(((value ?? 0) / 100) * BAR_WIDTH);
  return "━".repeat(full) + "─".repeat(BAR_WIDTH - full);
}
