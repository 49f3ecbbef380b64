// Subject: the egress of a sandbox, with allowed names that resolve to addresses outside the public internet.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import type { EgressDenied } from "@berth/egress";
import { DestinationDenied } from "@berth/egress";
import { allowedZone, hostileAnswers } from "../../test-support/hostile/hostile-forms.ts";
import { CAPTURE_KINDS, openHostileRange, type Range } from "../../test-support/hostile/hostile-range.ts";
import { programs } from "../../test-support/hostile/programs.ts";

for (const capture of CAPTURE_KINDS)
  suite(`captured in a ${capture}`, () => {
    const names = hostileAnswers.map((_, index) => `a${index}.${allowedZone}`);
    let range: Range;

    before(async () => {
      range = await openHostileRange({
        capture,
        hosts: names,
        allowPrivate: [],
        resolve: async (name) => hostileAnswers[names.indexOf(name)] ?? [],
      });
    });

    after(() => range.close());

    const refusals = (denied: readonly EgressDenied[]): string[] =>
      denied.map(({ host, port, reason }) => `${host}:${port} ${reason}`).sort();

    for (const [program, port] of [
      ["http", 80],
      ["https", 443],
      ["connect", 443],
    ] as const) {
      test(`${program}: a name that resolves to addresses outside the public internet → denied`, async () => {
        const { lines, denied } = await range.run(programs[program].script(names));
        assert.deepEqual(
          lines,
          names.map(() => "refused"),
        );
        assert.deepEqual(refusals(denied), names.map((name) => `${name}:${port} private_address`).sort());
      });
    }

    test("fetch: a name that resolves to addresses outside the public internet → denied", async () => {
      for (const name of names) {
        const { error, denied } = await range.fetch(`https://${name}/`);
        assert.ok(error instanceof DestinationDenied);
        assert.deepEqual(denied, [{ host: name, port: 443, reason: "private_address" }]);
      }
    });
  });
