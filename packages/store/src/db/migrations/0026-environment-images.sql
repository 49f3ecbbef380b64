-- Null: the image of the installation.
alter table environments add column image text;
