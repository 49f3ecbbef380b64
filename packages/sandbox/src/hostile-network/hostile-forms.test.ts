// Subject: the egress of a sandbox, with hostile forms of host names in every program.
import assert from "node:assert/strict";
import { after, before, beforeEach, suite, test } from "node:test";
import { DestinationDenied } from "@berth/egress";
import { allowedZone, hostileForms, VARIES } from "../../test-support/hostile/hostile-forms.ts";
import { CAPTURE_KINDS, openHostileRange, type Range } from "../../test-support/hostile/hostile-range.ts";
import { type ProgramName, programs } from "../../test-support/hostile/programs.ts";

for (const capture of CAPTURE_KINDS)
  suite(`captured in a ${capture}`, () => {
    /**
     * Every name resolves to this machine, which the operator allows, so that a form which reaches the
     * resolver is noticed.
     */
    let range: Range;

    before(async () => {
      range = await openHostileRange({
        capture,
        hosts: [`*.${allowedZone}`],
        allowPrivate: ["127.0.0.1", "::1"],
        resolve: async () => ["127.0.0.1"],
      });
    });

    after(() => range.close());

    beforeEach(() => {
      range.resolved.length = 0;
    });

    test("hostile forms: at least sixty, each once", () => {
      assert.ok(hostileForms.length >= 60);
      assert.equal(new Set(hostileForms.map(({ form }) => form)).size, hostileForms.length);
    });

    for (const name of Object.keys(programs) as ProgramName[]) {
      test(`${name}: every hostile form → denied and reported`, { timeout: 600_000 }, async () => {
        const { as, takes, script } = programs[name];
        const forms = hostileForms.filter(({ form }) => takes(form));
        const { lines, denied } = await range.run(script(forms.map(({ form }) => form)));
        const outcomes = forms.map(({ form }, index) => `${form}: ${lines[index]}`);
        assert.deepEqual(
          outcomes,
          forms.map(({ form }) => `${form}: refused`),
        );
        const reported = new Set(denied.map(({ host }) => host));
        for (const form of forms) {
          const expected = form[as];
          if (typeof expected === "string")
            assert.ok(reported.has(expected), `${expected} is not reported of`);
        }
        assert.deepEqual(range.resolved, []);
      });
    }

    test("fetch: every hostile form → denied and reported", async () => {
      for (const { form, fetch } of hostileForms) {
        if (fetch === VARIES) continue;
        for (const scheme of ["https", "http"]) {
          const { error, denied } = await range.fetch(`${scheme}://${form}/`);
          assert.ok(error instanceof (fetch === null ? TypeError : DestinationDenied), `${form}: ${error}`);
          assert.deepEqual(
            denied.map(({ host }) => host),
            fetch === null ? [] : [fetch],
          );
        }
      }
      assert.deepEqual(range.resolved, []);
    });
  });
