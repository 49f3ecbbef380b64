import type { Skill } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { skillQuery } from "../../api/queries/skills.ts";
import { Scrolled } from "../../shell/api-tab.tsx";
import { type ObjectKind, ObjectPage } from "../../shell/object-page.tsx";
import { SkillActions } from "./skill-actions.tsx";
import { SkillContents } from "./skill-contents.tsx";
import { SkillVersions } from "./skill-versions.tsx";

const route = getRouteApi("/skills/$skillId");

const SKILL: ObjectKind<Skill, "contents" | "versions"> = {
  title: "Skill",
  list: { name: "Skills", to: "/skills" },
  nameOf: ({ name, display_title }) => display_title ?? name,
  actions: (skill) => <SkillActions skill={skill} />,
  tabs: (skill) => [
    { id: "contents", label: "Contents", content: () => <SkillContents skill={skill} /> },
    {
      id: "versions",
      label: "Versions",
      content: () => (
        <Scrolled>
          <SkillVersions skill={skill} />
        </Scrolled>
      ),
    },
  ],
  calls: ({ id }) => [
    { operation: operations.skills.get, params: { skill_id: id } },
    { operation: operations.skills.versions, params: { skill_id: id } },
  ],
};

/** Shows a skill: the files of a version, its versions, its JSON. */
export function SkillScreen() {
  const { skillId } = route.useParams();
  const { tab = "contents", ...file } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <ObjectPage
      kind={SKILL}
      query={useQuery(skillQuery(skillId))}
      tab={tab}
      onTab={(next) =>
        void navigate({ search: next === "contents" ? file : { ...file, tab: next }, replace: true })
      }
    />
  );
}
