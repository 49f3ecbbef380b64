import { Page } from "../../shell/page.tsx";
import { sessionRoute } from "./route.ts";

export function SessionScreen() {
  const { sessionId } = sessionRoute.useParams();
  return <Page title={sessionId}>{null}</Page>;
}
