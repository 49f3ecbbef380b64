-- Keys with which git signs in the sessions of an organization.
create table signing_keys (
  organization_id uuid primary key references organizations,
  -- A line of authorized_keys, without a comment.
  public_key text not null,
  -- An envelope.
  private_key bytea not null
);
