/** The processor architectures that Berth knows system call numbers for, as Node names them. */
export type Architecture = "x64" | "arm64";

export function isArchitecture(name: string): name is Architecture {
  return name === "x64" || name === "arm64";
}
