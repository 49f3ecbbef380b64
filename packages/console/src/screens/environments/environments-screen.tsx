import type { Environment } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import { getRouteApi, Link } from "@tanstack/react-router";
import { berth } from "../../api/client.ts";
import { showUnseen } from "../../format/visible-text.ts";
import { ListScreen } from "../../shell/list-screen.tsx";
import { NameCell, NameNote } from "../../shell/name-cell.tsx";
import { buttonClass } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Ago } from "../../ui/moment.tsx";
import { Cell, HeadCell, Line } from "../../ui/table.tsx";
import { limitWords, networkingWords } from "./words.ts";

const route = getRouteApi("/environments");

export function EnvironmentsScreen() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <ListScreen
      title="Environments"
      noun="environments"
      operation={operations.environments.list}
      load={(query) => berth.environments.list(query)}
      search={search}
      onSearch={(next) => void navigate({ search: next, replace: true })}
      words={({ name, description, id }) => [name, description, id]}
      action={
        <Link to="/environments/new" className={buttonClass("primary", "small")}>
          <Icon name="plus" /> New environment
        </Link>
      }
      onOpen={({ id }) =>
        void navigate({ to: "/environments/$environmentId", params: { environmentId: id } })
      }
      head={<Head />}
      line={(environment, place) => (
        <EnvironmentLine key={environment.id} environment={environment} {...place} />
      )}
      empty={<NoEnvironments />}
    />
  );
}

function Head() {
  return (
    <>
      <HeadCell className="pl-4">Name</HeadCell>
      <HeadCell className="max-md:hidden">Reaches</HeadCell>
      <HeadCell className="max-lg:hidden">Made ready by</HeadCell>
      <HeadCell className="max-xl:hidden">Limits</HeadCell>
      <HeadCell align="right" className="pr-4">
        Changed
      </HeadCell>
    </>
  );
}

type LineProps = { environment: Environment; index: number; marked: boolean };

function EnvironmentLine({ environment, ...place }: LineProps) {
  const { id, name, description, config, resources, archived_at, updated_at } = environment;
  return (
    <Line {...place}>
      <NameCell id={id} name={name} isArchived={archived_at !== null} className="sm:w-2/5">
        <NameNote text={description} />
      </NameCell>
      <Cell className="max-w-64 truncate text-muted max-md:hidden">{networkingWords(config.networking)}</Cell>
      <Cell className="max-w-56 truncate text-muted max-lg:hidden">{madeReadyBy(environment)}</Cell>
      <Cell className="whitespace-nowrap text-muted max-xl:hidden">{limitWords(resources)}</Cell>
      <Cell align="right" className="pr-4 whitespace-nowrap text-faint">
        <Ago at={updated_at} />
      </Cell>
    </Line>
  );
}

function madeReadyBy({ config, image }: Environment): string {
  const { apt, npm, pip } = config.packages;
  const count = apt.length + npm.length + pip.length;
  const parts = [
    image !== null && showUnseen(image),
    count > 0 && `${count} ${count === 1 ? "package" : "packages"}`,
    config.setup_script !== null && "a script",
    config.repository_setup_script !== null && "a script for repositories",
  ];
  return parts.filter(Boolean).join(", ");
}

function NoEnvironments() {
  return (
    <Empty
      icon="environment"
      title="No environments yet"
      command="berth environments create name=default"
      action={
        <Link to="/environments/new" className={buttonClass("primary")}>
          New environment
        </Link>
      }
    >
      An environment tells what a session’s sandbox may reach, what is installed in it, and how large it is.
    </Empty>
  );
}
