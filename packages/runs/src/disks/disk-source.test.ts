// Subject: on the disk of which source a sandbox is opened, for every combination of what up to four sources do.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Sandbox } from "@berth/sandbox";
import { type DiskSource, fillDisk, openOnFirst, type SourceDisk } from "./disk-source.ts";

/**
 * What a source does.
 *
 * - `absent`: it has no disk for the session. `unreadable`: that cannot be found out.
 * - `works`
 * - `unusable …`: opening or filling fails, and the source gives its disk up.
 * - `fails …`: opening or filling fails for another reason.
 * - `stuck`: opening fails, and then giving up does.
 */
const COURSES = [
  "absent",
  "unreadable",
  "works",
  "unusable at opening",
  "unusable at filling",
  "fails at opening",
  "fails at filling",
  "stuck",
] as const;
type Course = (typeof COURSES)[number];

/** Courses after which the next source is tried. */
const GOES_ON: readonly Course[] = ["absent", "unusable at opening", "unusable at filling"];

async function run(courses: readonly Course[]) {
  const asked: number[] = [];
  const reported: string[] = [];
  const givenUp: number[] = [];
  let open = 0;
  const sources = courses.map((course, index): DiskSource => {
    const fail = (): never => {
      throw new Error(`${index}`);
    };
    const disk: SourceDisk = {
      ...{ path: `${index}`, hostDir: "", uid: 1, isNew: true },
      fill: async () => (course.endsWith("at filling") ? fail() : { repositories: new Map() }),
      async giveUp(error) {
        assert.equal(open, 0, "the sandbox is closed before its disk is given up");
        assert.equal((error as Error).message, `${index}`);
        if (course === "stuck") throw new Error(`stuck ${index}`);
        if (course.startsWith("unusable")) givenUp.push(index);
        return course.startsWith("unusable");
      },
    };
    const take = async () => {
      asked.push(index);
      if (course === "unreadable") fail();
      return course === "absent" ? null : disk;
    };
    return { take };
  });
  const opened = await openOnFirst(
    sources,
    async (disk) => {
      const course = courses[Number(disk.path)];
      if (course === "stuck" || course?.endsWith("at opening")) throw new Error(disk.path);
      open += 1;
      const sandbox = { close: async () => void open-- } as unknown as Sandbox;
      const content = await fillDisk(disk, { sandbox, places: [], files: [] });
      return { path: disk.path, content };
    },
    async (error) => void reported.push((error as Error).message),
  ).catch((error: Error) => ({ error: error.message }));
  return { opened, asked, reported, givenUp, open };
}

function* combinations(length: number): Generator<Course[]> {
  if (length === 0) yield [];
  else for (const rest of combinations(length - 1)) for (const course of COURSES) yield [course, ...rest];
}

test("a sandbox is opened on the disk of the first source that serves, and nothing else is left open", async () => {
  for (const length of [0, 1, 2, 3, 4])
    for (const courses of combinations(length)) {
      const told = courses.join(", ");
      const { opened, asked, reported, givenUp, open } = await run(courses);
      const last = courses.findIndex((course) => !GOES_ON.includes(course));
      const tried = last < 0 ? courses : courses.slice(0, last + 1);
      const course = courses[last];
      assert.deepEqual(asked, [...tried.keys()], told);
      assert.equal(open, course === "works" ? 1 : 0, told);
      assert.deepEqual(
        givenUp,
        [...tried.keys()].filter((index) => courses[index]?.startsWith("unusable")),
        told,
      );
      if (course === "works") {
        assert.deepEqual(opened, { path: `${last}`, content: { repositories: new Map() } }, told);
        assert.deepEqual(reported, [], told);
      } else if (course === undefined) {
        assert.deepEqual(opened, { error: "No source has a disk for the session." }, told);
        assert.deepEqual(reported, [], told);
      } else {
        const failure = course === "stuck" ? `stuck ${last}` : `${last}`;
        assert.deepEqual(opened, { error: failure }, told);
        // What the database does not tell is no failure of the sandbox.
        assert.deepEqual(reported, course === "unreadable" ? [] : [failure], told);
      }
    }
});

test("a source without content and without a way to give up: its disk is as it is, and each failure ends the opening", async () => {
  const plain: DiskSource = { take: async () => ({ path: "/disk", hostDir: "", uid: 1, isNew: false }) };
  const opened = await openOnFirst(
    [plain],
    async (disk) => {
      const sandbox = {} as Sandbox;
      return { content: await fillDisk(disk, { sandbox, places: [], files: [] }) };
    },
    async () => assert.fail(),
  );
  assert.deepEqual(opened, { content: {} });
  const reported: unknown[] = [];
  const failure = new Error("no room");
  const fails = openOnFirst(
    [plain, plain],
    () => Promise.reject(failure),
    async (error) => void reported.push(error),
  );
  await assert.rejects(fails, failure);
  assert.deepEqual(reported, [failure]);
});
