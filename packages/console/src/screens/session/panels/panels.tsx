import type { SessionEvent } from "@berth/sdk";
import { IconButton } from "../../../ui/button.tsx";
import { type Tab, Tabs } from "../../../ui/tabs.tsx";
import type { SessionView } from "../log/view.ts";
import type { PanelId } from "../scope/panel-ids.ts";
import { ChangesPanel } from "./changes-panel.tsx";
import { DetailsPanel } from "./details-panel.tsx";
import { EventsPanel } from "./events-panel.tsx";
import { FilesPanel } from "./files-panel.tsx";
import { denialsIn, NetworkPanel } from "./network-panel.tsx";
import { PreviewsPanel } from "./previews-panel.tsx";
import { ResourcesPanel } from "./resources-panel.tsx";
import { RulesPanel } from "./rules-panel.tsx";
import { UsagePanel } from "./usage-panel.tsx";
import { WorkspacePanel } from "./workspace-panel.tsx";

type Props = {
  panel: PanelId;
  view: SessionView;
  events: readonly SessionEvent[];
  onChange: (panel: PanelId) => void;
  onClose: () => void;
};

export function Panels({ panel, view, events, onChange, onClose }: Props) {
  const tabs: Tab<PanelId>[] = [
    { id: "changes", label: "Changes", content: () => <ChangesPanel view={view} /> },
    { id: "workspace", label: "Workspace", content: () => <WorkspacePanel view={view} /> },
    { id: "files", label: "Files", content: () => <FilesPanel view={view} /> },
    { id: "previews", label: "Previews", content: () => <PreviewsPanel /> },
    { id: "rules", label: "Rules", content: () => <RulesPanel view={view} /> },
    {
      id: "network",
      label: "Network",
      count: denialsIn(view).length,
      content: () => <NetworkPanel view={view} />,
    },
    { id: "resources", label: "Resources", content: () => <ResourcesPanel /> },
    { id: "usage", label: "Usage", content: () => <UsagePanel view={view} /> },
    { id: "events", label: "Events", content: () => <EventsPanel events={events} count={view.eventCount} /> },
    { id: "details", label: "Details", content: () => <DetailsPanel /> },
  ];
  return (
    <aside aria-label="Session panel" className="relative flex min-h-0 min-w-0 flex-1 flex-col bg-canvas">
      <Tabs
        tabs={tabs}
        value={panel}
        onChange={onChange}
        label="Panels"
        className="min-h-0 flex-1 [&>[role=tablist]]:mr-9"
      />
      <IconButton
        icon="cross"
        label="Close the panel"
        onClick={onClose}
        className="absolute top-1 right-1.5"
      />
    </aside>
  );
}
