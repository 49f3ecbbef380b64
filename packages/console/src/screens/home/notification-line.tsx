import { useMutation } from "../../api/use-mutation.ts";
import { toastError } from "../../ui/toast.tsx";
import { type Notifying, turnOff, turnOn, useNotifying } from "./notifications.ts";

const WORDS: Readonly<Record<Notifying, string>> = {
  off: "This browser can notify you when a session is done, fails or needs an answer.",
  on: "This browser notifies you when a session is done, fails or needs an answer.",
  blocked: "This browser blocks notifications of this site; its settings of the site can allow them.",
  impossible: "This browser gives no notifications here: they need https, or localhost.",
};

/** Says whether the browser notifies, and switches it on and off. Only a click asks the browser. */
export function NotificationLine() {
  const state = useNotifying();
  const ask = useMutation({
    mutationFn: turnOn,
    onError: (error) => toastError("Notifications stay off", error.message),
  });
  return (
    <p className="px-4 py-5 text-xs text-faint">
      {WORDS[state]} {state === "off" && <Switch onClick={() => ask.mutate()}>Turn on notifications</Switch>}
      {state === "on" && <Switch onClick={turnOff}>Turn off notifications</Switch>}
    </p>
  );
}

function Switch({ onClick, children }: { onClick: () => void; children: string }) {
  return (
    <button type="button" onClick={onClick} className="font-medium text-accent-text hover:underline">
      {children}
    </button>
  );
}
