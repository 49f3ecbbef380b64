import type { Skill } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { skillQuery } from "../../api/queries/skills.ts";
import { ApiTab, Loaded, ObjectHeading, Scrolled } from "../../shell/object-page.tsx";
import { Page } from "../../shell/page.tsx";
import { Badge } from "../../ui/badge.tsx";
import { CopyId } from "../../ui/copy.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { type SkillTab, skillRoute } from "./route.ts";
import { SkillActions } from "./skill-actions.tsx";
import { SkillContents } from "./skill-contents.tsx";
import { SkillVersions } from "./skill-versions.tsx";

/** A skill: the files of each version, its versions, its JSON. */
export function SkillScreen() {
  const { skillId } = skillRoute.useParams();
  const query = useQuery(skillQuery(skillId));
  return (
    <Loaded query={query} title="Skill">
      {(skill) => <SkillPage key={skill.id} skill={skill} />}
    </Loaded>
  );
}

function SkillPage({ skill }: { skill: Skill }) {
  const { tab = "contents" } = skillRoute.useSearch();
  const navigate = useNavigate({ from: "/skills/$skillId" });
  const params = { skill_id: skill.id };
  const name = skill.display_title ?? skill.name;
  return (
    <Page
      title={name}
      heading={<ObjectHeading list="Skills" to="/skills" name={name} />}
      about={
        <>
          {skill.archived_at !== null && <Badge>Archived</Badge>}
          <CopyId id={skill.id} short className="max-md:hidden" />
        </>
      }
      actions={<SkillActions skill={skill} />}
      fixed
    >
      <Tabs<SkillTab>
        label="Skill"
        className="min-h-0 flex-1"
        value={tab}
        onChange={(next) =>
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
          {
            id: "api",
            label: "JSON and CLI",
            content: () => (
              <ApiTab
                value={skill}
                calls={[
                  { operation: operations.skills.get, params },
                  { operation: operations.skills.versions, params },
                ]}
              />
            ),
          },
        ]}
      />
    </Page>
  );
}
