import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { signInWithCode } from "../../api/sign-in.ts";
import { useMutation } from "../../api/use-mutation.ts";
import { SignInForm } from "../../shell/sign-in-form.tsx";
import { Spinner } from "../../ui/button.tsx";

/** The code that was sent. A code works once, so it must not be sent again when the screen renders again. */
let taken: string | null = null;

export function SignInScreen() {
  const navigate = useNavigate();
  const toSessions = () => void navigate({ to: "/", replace: true });
  const { mutate, error, isPending } = useMutation({ mutationFn: signInWithCode, onSuccess: toSessions });
  useEffect(() => {
    const code = takeCode();
    if (code !== null) mutate(code);
  }, [mutate]);
  return (
    <div className="grid h-full place-items-center overflow-y-auto p-6">
      {isPending ? (
        <p className="flex items-center gap-2 text-muted">
          <Spinner /> Signing in…
        </p>
      ) : (
        <SignInForm onSignedIn={toSessions} error={error} />
      )}
    </div>
  );
}

/**
 * Takes the code from the address bar, and removes it from the history. Returns null if there is none, or it
 * was taken before.
 */
function takeCode(): string | null {
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  if (code === null || code === taken) return null;
  taken = code;
  history.replaceState(history.state, "", location.pathname);
  return code;
}
