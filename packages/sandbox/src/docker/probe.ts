import { type Capability, degraded, no, yes } from "../interface/capability.ts";
import { type EngineClient, EngineRequestError } from "./engine-client.ts";
import type { ContainerHost } from "./start-container.ts";

/** The used fields of the engine's `/info`. */
interface Info {
  SecurityOptions?: string[] | null;
  MemoryLimit?: boolean;
  SwapLimit?: boolean;
  PidsLimit?: boolean;
  CpuCfsQuota?: boolean;
  Rootless?: boolean;
}

/** Returns what the container engine supports and lacks. Never throws. */
export async function probeContainers(
  client: EngineClient,
  { defaultImage, group }: Pick<ContainerHost, "defaultImage" | "group">,
): Promise<Capability[]> {
  const { name, version, api } = client.version;
  try {
    const info = (await client.call("GET", "/info")) as Info;
    return [
      yes("container_engine", `${name} ${version}, API ${api}.`),
      await image(client, defaultImage),
      rootful(info),
      seccomp(info),
      ...limits(info),
      limitTogether((await group.path()) !== null),
      degraded(
        "limit_disk",
        "Containers' disks have no limit; sessions whose environment sets disk_mb are refused. Use the bubblewrap engine for them.",
      ),
      degraded(
        "snapshots",
        "Containers mount no snapshots: every session clones. Use the bubblewrap engine for fast starts.",
      ),
    ];
  } catch (error) {
    return [no("container_engine", `${name} does not respond: ${sentence(error)}`)];
  }
}

function limitTogether(holds: boolean): Capability {
  const name = "limit_together";
  if (holds)
    return yes(name, "All sessions together have limits of memory and processes below the machine's.");
  return degraded(
    name,
    "All sessions together can use up the memory and the processes of the machine. Let the engine use the cgroup driver cgroupfs, or start it with a cgroup-parent that has limits.",
  );
}

async function image(client: EngineClient, name: string): Promise<Capability> {
  try {
    await client.call("GET", `/images/${encodeURIComponent(name)}/json`);
    return yes("default_image", `The image ${name} is there.`);
  } catch (error) {
    const missing = error instanceof EngineRequestError && error.status === 404;
    const detail = missing
      ? `The image ${name} is missing: deploy/sandbox-image/build makes the usual one.`
      : sentence(error);
    return no("default_image", detail);
  }
}

function rootful({ SecurityOptions, Rootless }: Info): Capability {
  const rootless =
    Rootless === true || (SecurityOptions ?? []).some((option) => /name=rootless/.test(option));
  return rootless
    ? no(
        "separate_user",
        "The engine runs rootless, where sessions' uids are not its own. Use one that runs as root.",
      )
    : yes("separate_user", "Each sandbox runs under a host uid of its own.");
}

function seccomp({ SecurityOptions }: Info): Capability {
  return (SecurityOptions ?? []).some((option) => /name=seccomp/.test(option))
    ? yes("seccomp", "System calls are filtered by Berth's own profile.")
    : no("seccomp", "The engine has no seccomp. Use one that is built with it, on a kernel that has it.");
}

function limits({ MemoryLimit, SwapLimit, PidsLimit, CpuCfsQuota }: Info): Capability[] {
  const limit = (name: string, holds: boolean | undefined): Capability =>
    holds === false
      ? no(`limit_${name}`, `The engine cannot limit it: the ${name} controller is missing.`)
      : yes(`limit_${name}`, `Enforced by the engine's ${name} control group.`);
  const memory = limit("memory", MemoryLimit);
  return [
    memory.state === "yes" && SwapLimit === false
      ? { ...memory, state: "degraded", detail: "Memory is limited, swap is not. Turn swap accounting on." }
      : memory,
    limit("pids", PidsLimit),
    limit("cpu", CpuCfsQuota),
  ];
}

function sentence(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return /[.]$/.test(message) ? message : `${message}.`;
}
