import { Page } from "../../shell/page.tsx";

export function SessionsScreen() {
  return <Page title="Sessions">{null}</Page>;
}
