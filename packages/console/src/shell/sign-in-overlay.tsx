import { Dialog as Base } from "@base-ui/react/dialog";
import { SignInForm } from "./sign-in-form.tsx";

/** Covers the page while nobody is signed in. The page beneath keeps its state and all typed text. */
export function SignInOverlay({ open }: { open: boolean }) {
  return (
    <Base.Root open={open} disablePointerDismissal>
      <Base.Portal>
        <Base.Popup
          aria-label="Sign in"
          className="fixed inset-0 z-50 grid place-items-center overflow-y-auto bg-canvas p-6 outline-none"
        >
          <SignInForm />
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
