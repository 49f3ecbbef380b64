-- What each user has not seen yet, and which sessions are on their desk: their own, and those of others to which they sent something.

-- The users on whose desk the session is and who have not seen what it last came to.
alter table sessions add column unseen_by uuid[] not null default '{}';

-- The sessions of others on the desk of a user: the last fifty, so that a desk costs the same whatever its user did. They follow from
-- sessions.sender_ids, and from marks as unseen.
create table session_guests (
  user_id uuid not null references users on delete cascade,
  session_id uuid not null references sessions on delete cascade,
  since timestamptz not null default clock_timestamp(),
  primary key (user_id, session_id)
);
create index session_guests_by_session on session_guests (session_id);
create index session_guests_by_since on session_guests (user_id, since);

create function add_session_guests() returns trigger language plpgsql as $$
begin
  insert into session_guests (user_id, session_id)
  select users.id, new.id from users where users.id = any(new.sender_ids) and users.id <> new.owner_id
  on conflict do nothing;
  return null;
end $$;
create trigger sessions_add_guests after insert on sessions for each row
  when (new.sender_ids <> '{}' and new.sender_ids <> array[new.owner_id]) execute function add_session_guests();
create trigger sessions_add_senders after update of sender_ids on sessions for each row
  when (new.sender_ids <> old.sender_ids) execute function add_session_guests();

create function bound_session_guests() returns trigger language plpgsql as $$
begin
  delete from session_guests where (user_id, session_id) in (
    select user_id, session_id from session_guests where user_id = new.user_id
    order by since desc offset 50 for update skip locked
  );
  return null;
end $$;
create trigger session_guests_bound after insert on session_guests for each row execute function bound_session_guests();

-- An interrupted turn is no news to whoever interrupted it. A session that has ended, or was archived, is on nobody's list.
create function mark_session_unseen() returns trigger language plpgsql as $$
begin
  if new.archived_at is not null or new.terminated_at is not null then
    new.unseen_by := '{}';
  elsif new.last_turn_ended_at is distinct from old.last_turn_ended_at and new.last_turn_outcome <> 'cancelled'
      or new.repository_failed and not old.repository_failed then
    new.unseen_by := array(
      select new.owner_id where new.owner_type = 'user'
      union select user_id from session_guests where session_id = new.id
    );
  end if;
  return new;
end $$;
create trigger sessions_mark_unseen before update of last_turn_ended_at, repository_failed, archived_at, terminated_at on sessions
  for each row when (new.last_turn_ended_at is distinct from old.last_turn_ended_at or new.repository_failed <> old.repository_failed
    or new.archived_at is distinct from old.archived_at or new.terminated_at is distinct from old.terminated_at)
  execute function mark_session_unseen();

create index sessions_unseen_by_owner on sessions (owner_id, id) where owner_id = any(unseen_by);
create index sessions_unseen_by_owner_activity on sessions (owner_id, updated_at, id) where owner_id = any(unseen_by);
create index sessions_unseen_by_owner_outcome on sessions (owner_id, last_turn_outcome, id)
  where owner_id = any(unseen_by) and status = 'idle';
create index sessions_unseen_by_owner_outcome_activity on sessions (owner_id, last_turn_outcome, updated_at, id)
  where owner_id = any(unseen_by) and status = 'idle';
-- Those that run are few, and found without reading the others.
create index sessions_busy_by_owner_activity on sessions (owner_id, updated_at, id) where status in ('running', 'rescheduling');

-- Whoever sent something before has it on the desk, and has seen it.
insert into session_guests (user_id, session_id, since)
select users.id, sessions.id, sessions.updated_at from sessions join users on users.id = any(sender_ids)
where users.id <> owner_id and deleted_at is null;
