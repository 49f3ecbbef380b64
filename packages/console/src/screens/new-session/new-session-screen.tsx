import { Page } from "../../shell/page.tsx";

export function NewSessionScreen() {
  return <Page title="New session">{null}</Page>;
}
