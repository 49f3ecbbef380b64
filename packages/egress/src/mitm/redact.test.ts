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
    credential("secret", "ONE"),
    credential("secret-more", "TWO"),
    credential("re-other", "THREE"),
  ]);
  assert.equal(
    both.text("secret-more secret secret-mo re-other secret-more-other"),
    "TWO ONE ONE-mo THREE TWO-other",
  );
});
