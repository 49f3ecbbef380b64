-- Null: the disk of a session has no limit.
update environments set resources = (resources::jsonb || '{"disk_mb": null}')::json
where not resources::jsonb ? 'disk_mb';
