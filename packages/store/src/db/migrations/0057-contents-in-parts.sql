-- Contents that arrive in parts while the contents of files are in S3. These rows, and not what S3 lists, say what of a content was
-- received, so that any process goes on with it. They reference no file: those of one that was deleted stay until what they name is
-- removed from S3.
create table partial_contents (
  file_id uuid primary key,
  -- The request that receives now. Another one that goes on takes its place, and from then on it can record nothing.
  writer uuid not null,
  -- Of the multipart upload, and the number in its key; null while there is none.
  upload_id text,
  upload_number integer,
  -- The last number that was given to a part or an upload. Each is given once, so that two requests never write the same object.
  last_number integer not null default 0
);

create table file_parts (
  file_id uuid not null references partial_contents on delete cascade,
  number integer not null,
  first_byte bigint not null,
  size bigint not null,
  etag text not null,
  -- Whether it is an object of its own, since it is too small for a part of the upload while others follow.
  tail boolean not null,
  primary key (file_id, number)
);
