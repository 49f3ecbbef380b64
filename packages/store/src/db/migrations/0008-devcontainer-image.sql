-- What a session follows of a devcontainer.json has its image. Where it was read before, there is none.
update sessions
set choices = jsonb_set(choices, '{devcontainer,image}', 'null')
where jsonb_typeof(choices -> 'devcontainer') = 'object' and not choices -> 'devcontainer' ? 'image';

update events
set body = (body::jsonb || '{"image": null}')::text
where case type when 'session.devcontainer_read' then not body::jsonb ? 'image' end
  and session_id in (select id from sessions where choices -> 'devcontainer' is not null);
