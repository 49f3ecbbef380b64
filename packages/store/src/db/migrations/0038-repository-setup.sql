-- What an environment says has all its parts, also where it was made before it could name a script for repositories.
update environments
set config = (config::jsonb || '{"repository_setup_script": null, "repository_setup_required": false}'::jsonb)::json;
