import type { ReactNode } from "react";
import type { CallExample } from "../api/call-commands.ts";
import { CallPanel } from "../ui/call-panel.tsx";
import { JsonView } from "../ui/json-view.tsx";
import { Section } from "../ui/section.tsx";

/** Shows an object as the API returns it, and commands that read it. */
export function ApiTab({ value, calls }: { value: unknown; calls: readonly CallExample[] }) {
  return (
    <Scrolled>
      <div className="mx-auto max-w-4xl py-2">
        <Section title="CLI and curl commands">
          <div className="flex flex-col gap-3">
            {calls.map((call) => (
              <CallPanel key={call.operation.id} call={call} />
            ))}
          </div>
        </Section>
        <Section title="JSON">
          <JsonView value={value} />
        </Section>
      </div>
    </Scrolled>
  );
}

/** Shows the content of a tab, which scrolls separately. */
export function Scrolled({ children }: { children: ReactNode }) {
  return <div className="h-full overflow-y-auto">{children}</div>;
}
