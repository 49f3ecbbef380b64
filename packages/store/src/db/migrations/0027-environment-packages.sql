-- What an environment says has all its parts, also where it was made before it could name packages and a script.
update environments
set config = (config::jsonb || '{"packages": {"apt": [], "npm": [], "pip": []}, "setup_script": null}'::jsonb)::json;
