import assert from "node:assert/strict";
import { test } from "node:test";
import { createRedactor } from "./redact.ts";

const placeholder = "berthplaceholder0123456789abcdef";
const value = `aK3/x+é "q" <&> it's=`;
const redactor = createRedactor([{ placeholder, value, targets: [], anywhere: true }]);

test("redact: every form in which hosts usually write a value", () => {
  const forms = {
    plain: value,
    "JSON of most": JSON.stringify(value).slice(1, -1),
    "JSON of PHP": String.raw`aK3\/x+\u00e9 \"q\" <&> it's=`,
    "JSON of Python": String.raw`aK3/x+\u00e9 \"q\" <&> it's=`,
    "JSON of Go": String.raw`aK3/x+é \"q\" \u003c\u0026\u003e it's=`,
    HTML: "aK3/x+é &quot;q&quot; &lt;&amp;&gt; it&#39;s=",
    "HTML of Go": "aK3/x+é &#34;q&#34; &lt;&amp;&gt; it&#39;s=",
    "HTML of Python": "aK3/x+é &quot;q&quot; &lt;&amp;&gt; it&#x27;s=",
    XML: `aK3/x+é "q" &lt;&amp;&gt; it's=`,
    URL: encodeURIComponent(value),
    "URL in lower case": encodeURIComponent(value).replace(/%../g, (one) => one.toLowerCase()),
    form: new URLSearchParams({ "": value }).toString().slice(1),
    hexadecimal: Buffer.from(value).toString("hex"),
  };
  for (const [name, form] of Object.entries(forms)) {
    const output = redactor.text(Buffer.from(`a ${form} b ${form}`).toString("latin1"));
    assert.equal(output, `a ${placeholder} b ${placeholder}`, name);
  }
  for (const before of ["", "x", "xy"]) {
    const base64 = Buffer.from(`${before}${value}`).toString("base64");
    assert.ok(redactor.text(base64).includes(placeholder), base64);
  }
});

test("redact: overlapping values → leftmost first, the longer of those", () => {
  const credential = (value: string, placeholder: string) => ({
    placeholder,
    value,
    targets: [],
    anywhere: true,
  });
  const both = createRedactor([
    credential("hidden", "ONE"),
    credential("hidden-more", "TWO"),
    credential("re-other", "THREE"),
  ]);
  assert.equal(
    both.text("hidden-more hidden hidden-mo re-other hidden-more-other"),
    "TWO ONE ONE-mo THREE TWO-other",
  );
});

test("redact: pieces of one byte and long headers → time in proportion to their length", () => {
  const long = `begin-${"x7".repeat(2_042)}`;
  const hostile = [long, long.slice(0, -1), "aaaaaaa", `${"a".repeat(300)}b`, ...nested("ab", 12)];
  const redactor = createRedactor(
    hostile.map((value, index) => ({ placeholder: `BERTH${index}`, value, targets: [], anywhere: true })),
  );
  const texts = [long.slice(0, -2), "a", "ab", `${"a".repeat(299)}-`, "=%41\\"];
  for (const text of texts) {
    assertLinear(text, 4_000, (length) => {
      const stream = redactor.stream();
      stream.resume();
      for (const byte of filled(text, length)) stream.write(Buffer.of(byte));
      stream.end();
    });
    assertLinear(text, 16_384, (length) => redactor.text(filled(text, length).toString("latin1")));
  }
});

test("redact: values in any pieces and next to each other → none is left, the rest is as it was", () => {
  const values = ["secret-one", "secret-one-and-more", "more-secrets", "ore-sec"];
  const redactor = createRedactor(
    values.map((value, index) => ({ placeholder: `BERTH${index}`, value, targets: [], anywhere: true })),
  );
  const text = `GET secret-one ${values.join("")} secret-on ${JSON.stringify(values)} more secrets`;
  for (const size of [1, 2, 3, 7, 50]) {
    const stream = redactor.stream();
    const shown: Buffer[] = [];
    stream.on("data", (chunk: Buffer) => shown.push(chunk));
    for (let at = 0; at < text.length; at += size) stream.write(text.slice(at, at + size));
    stream.end();
    stream.read();
    assert.equal(Buffer.concat(shown).toString(), redactor.text(text), `pieces of ${size}`);
  }
  const left = redactor.text(text);
  for (const value of values) assert.ok(!left.includes(value), left);
  assert.match(left, /^GET BERTH0 BERTH0BERTH1BERTH2BERTH3 secret-on \["BERTH0",.*\] more secrets$/);
});

test("redact: most values are kept in all forms, very many in the common ones", () => {
  const many = Array.from({ length: 64 }, (_, index) => `${index}-${"\u0001é".repeat(340)}`);
  const redactor = createRedactor(
    many.map((value, index) => ({ placeholder: `BERTH${index}`, value, targets: [], anywhere: true })),
  );
  for (const [index, value] of many.entries()) {
    const text = Buffer.from(JSON.stringify(value)).toString("latin1");
    assert.equal(redactor.text(text).slice(0, 100), `"BERTH${index}"`);
  }
});

function nested(pair: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => pair.repeat(index + 4));
}

function filled(text: string, length: number): Buffer {
  return Buffer.alloc(length, text, "latin1");
}

function assertLinear(name: string, length: number, work: (length: number) => void): void {
  work(length);
  const [short, long] = [leastTime(() => work(length)), leastTime(() => work(8 * length))];
  assert.ok(long <= 24 * Math.max(short, 10_000), `${name.slice(0, 20)}: ${short} and ${long} µs`);
}

/**
 * Returns CPU time of this thread in µs, the least of three runs. The kernel counts in steps of some
 * milliseconds, so less than ten of them are not significant.
 */
function leastTime(work: () => void): number {
  const times = [1, 2, 3].map(() => {
    const before = process.threadCpuUsage();
    work();
    const { user, system } = process.threadCpuUsage(before);
    return user + system;
  });
  return Math.min(...times);
}
