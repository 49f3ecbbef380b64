import type { ForwardResource } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import { ObjectLink } from "../../shell/object-link.tsx";
import { buttonClass } from "../../ui/button.tsx";
import { CallPanel } from "../../ui/call-panel.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { JsonView } from "../../ui/json-view.tsx";
import { nameOf } from "./forward-search.ts";

/** Shows a registered resource as the registry returns it. */
export function ResourceDialog({ resource, onClose }: { resource: ForwardResource; onClose: () => void }) {
  const { id, type } = resource;
  return (
    <Dialog
      open
      onClose={onClose}
      title={nameOf(resource)}
      size="medium"
      actions={
        <ObjectLink id={id} className={buttonClass("primary")}>
          Open the {type}
        </ObjectLink>
      }
    >
      <div className="flex flex-col gap-3">
        <CallPanel call={{ operation: operations.forward.register, body: { type, resource: { id } } }} />
        <JsonView value={resource} />
      </div>
    </Dialog>
  );
}
