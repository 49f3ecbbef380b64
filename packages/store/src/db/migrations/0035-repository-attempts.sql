-- revision: raised by each new secret of a repository and each requested retry. failed_inputs: a digest of all that the failed attempt
-- depended on; a failure counts while the present inputs are the same. attempts: those in a row that failed for a reason that
-- passes; failing_since: when the first of them failed; retry_at: when the next one is due, null when none is.
alter table session_resources add column revision integer not null default 0;
alter table session_resources add column failed_inputs text;
alter table session_resources add column attempts integer not null default 0;
alter table session_resources add column failing_since timestamptz;
alter table session_resources add column retry_at timestamptz;

-- No repository has these inputs, so each that has failed is tried once more. Other resources have no others.
update session_resources set failed_inputs = '' where failed_at is not null;
