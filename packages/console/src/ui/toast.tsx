import { Toast as Base } from "@base-ui/react/toast";
import { IconButton } from "./button.tsx";
import { Icon } from "./icon.tsx";

const manager = Base.createToastManager();

/** Shows a notice of something done. Errors of a form belong beside the form instead. */
export function toast(title: string, description?: string): void {
  manager.add(description === undefined ? { title } : { title, description });
}

/** Shows a notice that something failed in the background. */
export function toastError(title: string, description: string): void {
  manager.add({ title, description, type: "error", priority: "high", timeout: 12_000 });
}

export function Toasts() {
  return (
    <Base.Provider toastManager={manager}>
      <Base.Portal>
        <Base.Viewport className="fixed right-4 bottom-4 z-60 flex w-[min(22rem,calc(100vw-2rem))] flex-col gap-2">
          <ToastList />
        </Base.Viewport>
      </Base.Portal>
    </Base.Provider>
  );
}

function ToastList() {
  const { toasts } = Base.useToastManager();
  return toasts.map((one) => (
    <Base.Root key={one.id} toast={one} className="popup flex items-start gap-2.5 p-3">
      <Icon
        name={one.type === "error" ? "alert" : "check"}
        className={one.type === "error" ? "mt-0.5 text-bad" : "mt-0.5 text-ok"}
      />
      <Base.Content className="min-w-0 flex-1">
        <Base.Title className="font-medium" />
        <Base.Description className="break-words text-muted" />
      </Base.Content>
      <Base.Close render={<IconButton icon="cross" label="Dismiss" className="-my-1 -mr-1" />} />
    </Base.Root>
  ));
}
