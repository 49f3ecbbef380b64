-- The values of variables of a devcontainer.json, which may be secrets by mistake, are shown to no client: `devcontainer` of the choices, and
-- the event that tells it, have the names alone, and `variables` of the choices has the values for the run.
update sessions
set choices = jsonb_set(
    (choices #- '{devcontainer,environment_variables}')
      || jsonb_build_object('variables', choices #> '{devcontainer,environment_variables}'),
    '{devcontainer,environment_variable_names}',
    (select coalesce(jsonb_agg(name), '[]') from jsonb_object_keys(choices #> '{devcontainer,environment_variables}') as name)
  )
where choices #> '{devcontainer,environment_variables}' is not null;

update events
set body = (
    (body::jsonb - 'environment_variables') || jsonb_build_object(
      'environment_variable_names',
      (select coalesce(jsonb_agg(name), '[]') from jsonb_object_keys(body::jsonb -> 'environment_variables') as name)
    )
  )::text
where case type when 'session.devcontainer_read' then body::jsonb ? 'environment_variables' end
  and session_id in (select id from sessions where choices -> 'devcontainer' is not null);
