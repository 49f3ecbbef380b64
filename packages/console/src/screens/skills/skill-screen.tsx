import type { Skill } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { skillQuery } from "../../api/queries/skills.ts";
import { Loaded, Scrolled } from "../../shell/object-page.tsx";
import { ObjectTabs } from "../../shell/object-tabs.tsx";
import { SkillActions } from "./skill-actions.tsx";
import { SkillContents } from "./skill-contents.tsx";
import { SkillVersions } from "./skill-versions.tsx";

const route = getRouteApi("/skills/$skillId");

/** Shows a skill: the files of a version, its versions, its JSON. */
export function SkillScreen() {
  const { skillId } = route.useParams();
  const query = useQuery(skillQuery(skillId));
  return (
    <Loaded query={query} title="Skill">
      {(skill) => <SkillPage key={skill.id} skill={skill} />}
    </Loaded>
  );
}

function SkillPage({ skill }: { skill: Skill }) {
  const { tab = "contents" } = route.useSearch();
  const navigate = route.useNavigate();
  const params = { skill_id: skill.id };
  return (
    <ObjectTabs
      noun="Skill"
      name={skill.display_title ?? skill.name}
      value={skill}
      list={{ name: "Skills", to: "/skills" }}
      actions={<SkillActions skill={skill} />}
      tab={tab}
      onTab={(next) =>
        void navigate({
          search: ({ version, path }) => ({
            ...(next === "contents" ? {} : { tab: next }),
            ...(version === undefined ? {} : { version }),
            ...(path === undefined ? {} : { path }),
          }),
          replace: true,
        })
      }
      tabs={[
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
      ]}
      calls={[
        { operation: operations.skills.get, params },
        { operation: operations.skills.versions, params },
      ]}
    />
  );
}
