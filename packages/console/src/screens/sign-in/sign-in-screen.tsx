import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { signInWithCode } from "../../api/sign-in.ts";
import { useMutation } from "../../api/use-mutation.ts";
import { SignInForm } from "../../shell/sign-in-form.tsx";
import { Spinner } from "../../ui/button.tsx";

/** A link's code counts once, so that it is sent once, however often this screen is drawn. */
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

/** Takes the code out of the address bar, where it would stay in the history. */
function takeCode(): string | null {
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  if (code === null || code === taken) return null;
  taken = code;
  history.replaceState(history.state, "", location.pathname);
  return code;
}
