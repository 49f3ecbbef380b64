import type { Whoami } from "@berth/sdk";
import type { Change } from "../../format/search.ts";
import type { AdministrationSearch } from "./administration-search.ts";

/** What a tab of administration is shown with. */
export type TabProps = {
  me: Whoami;
  search: AdministrationSearch;
  change: (part: Change<AdministrationSearch>) => void;
};
