-- Author and committer of commits, {name, email, co_authored_by}; null: what the environment, the agent or the token's account says.
-- An agent's is in its definition.
alter table environments add column git_identity jsonb;
alter table sessions add column git_identity jsonb;
