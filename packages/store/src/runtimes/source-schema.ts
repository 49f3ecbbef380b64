import { RUNTIMES, type RuntimeName } from "@berth/contract";
import { z } from "zod";

const version = z.string().regex(/^\d{1,6}(\.\d{1,6}){0,2}$/, "must be one to three numbers, such as 1.24.5");
const path = z
  .string()
  .regex(/^[\w@+-][\w@.+-]*(\/[\w@+-][\w@.+-]*)*$/, "must be a relative path without '..'");
const programName = z.string().regex(/^[\w+-][\w.+-]{0,63}$/, "must be the name of a program");
const programs = z.record(programName, path);
const host = z.string().regex(/^[a-z0-9.-]+(:\d{1,5})?$/, "must be a host, with a port if it is not 443");
const packageName = z
  .string()
  .regex(/^(@[a-z0-9][\w.-]*\/)?[a-z0-9][\w.-]*$/, "must be the name of a package");
const architecture = z.enum(["x64", "arm64"]);

const npm = z.strictObject({
  from: z.literal("npm"),
  /** The package, or one for each CPU architecture. */
  package: z.union([packageName, z.partialRecord(architecture, packageName)]),
  /** The oldest version. */
  least: version.optional(),
  /** Versions from this one on are left out. */
  below: version.optional(),
  programs: programs.default({}),
  /** Further packages, which come with it. */
  with: z
    .array(
      z.strictObject({
        package: packageName,
        /** Line of the package by the first number of the runtime's version, from which on it is used. */
        versions: z.record(z.string().regex(/^\d{1,6}$/, "must be a number"), version),
        programs,
      }),
    )
    .default([]),
});

const debian = z.strictObject({
  from: z.literal("debian"),
  suite: z.string().regex(/^[a-z][a-z-]{1,40}$/, "must be the name of a suite, such as trixie"),
  packages: z.record(
    version,
    z.array(z.string().regex(/^[a-z0-9][a-z0-9+.-]+$/, "must be the name of a package")).min(1),
  ),
});

const url = z.strictObject({
  from: z.literal("url"),
  versions: z.record(
    version,
    z.partialRecord(
      architecture,
      z.strictObject({
        url: z
          .url({ protocol: /^https$/, error: "must be an https URL" })
          .refine((text) => !text.includes("@") && !/\s/.test(text), "must not have a login"),
        sha256: z.string().regex(/^[0-9a-f]{64}$/, "must be 64 hexadecimal digits"),
        strip: z.int().min(0).max(9).default(0),
        programs: programs.default({}),
        hosts: z.array(host).max(8).default([]),
      }),
    ),
  ),
});

const base = z.strictObject({
  from: z.literal("base"),
  version,
  programs: z.record(
    programName,
    z.string().regex(/^\/usr\/(local\/)?bin\/[\w.+-]+$/, "must be a path in /usr/bin"),
  ),
});

const source = z.discriminatedUnion("from", [npm, debian, url, base]);
/** The form of the operator's file. */
export const sources = z.partialRecord(z.enum(RUNTIMES), z.array(source).max(32));

export type NpmSource = z.output<typeof npm>;
export type RuntimeSource = z.output<typeof source>;
export type GivenSources = z.input<typeof sources>;
/** The sources of each runtime. Of two that have one version, the first counts. */
export type RuntimeSources = Readonly<Record<RuntimeName, readonly RuntimeSource[]>>;
