-- Accept jobs

/* insert-jobs */
insert into jobs (team_id, id, original_id, attempt_number, queue_id, status, method, url,
  callback_url, created_at, scheduled_at, actor, sealed_headers, payload)
select given.team_id, given.id, given.id, 1, q.id, 'pending', given.method, given.url,
given.callback_url, given.created_at, given.scheduled_at, given.actor, given.sealed_headers,
given.payload
from (select value->>'team_id' as team_id, value->>'id' as id, value->>'queue' as queue, value->>'method' as
    method, value->>'url' as url, value->>'callback_url' as callback_url, value->>'created_at' as created_at,
    value->>'scheduled_at' as scheduled_at, value->>'sealed_headers' as sealed_headers, value->>'payload' as
    payload, value->>'actor' as actor from jsonb_each(?1)) as given cross join queues q
where q.team_id = given.team_id and q.name = given.queue
returning id, queue_id


-- Claim jobs

/* read-queues */
select q.id, q.timeout_seconds, q.concurrency_limit, q.rate, q.assertions,
case when t.paused_at is null then q.is_paused else 1 end as is_paused, t.pausing_windows, q.slow_seconds,
    q.keeps_response_body, t.plan, t.sealed_signing_secret, q.team_id, coalesce((
    select m.used from usage_months m where m.team_id = t.id and m.month = ?3), 0) as used, (
  select j.scheduled_at from jobs j
  where j.queue_id = q.id and j.status = 'pending' and j.scheduled_at > ?2
  order by j.scheduled_at, j.id limit 1
) as next_due_at, case when q.rate is null then null else (
  select s.rate_spent_until from taken_slots s
  where s.team_id = q.team_id and s.queue_id = q.id and s.number = 0
) end as rate_spent_until,
case when q.concurrency_limit is null then 0 else (
  select count(*) from jobs j where j.queue_id = q.id and j.status = 'processing'
) end as running
from (select value->>'queue_id' as queue_id, value->>'slots' as slots, value->>'from_at' as from_at from
    jsonb_each(?1)) as given cross join queues q cross join teams t
where q.id = given.queue_id and t.id = q.team_id and t.deleted_at is null

/* claim-jobs-4 */
update jobs set status = 'processing', claimed_by = ?1, started_at = ?2
where rowid in (select * from (select rowid from jobs where queue_id = ?3
    and status = 'pending' and scheduled_at <= ?2 order by scheduled_at, id limit ?4) union all select * from
        (select rowid from jobs where queue_id = ?5
    and status = 'pending' and scheduled_at <= ?2 order by scheduled_at, id limit ?6) union all select * from
        (select rowid from jobs where queue_id = ?7
    and status = 'pending' and scheduled_at <= ?2 order by scheduled_at, id limit ?8) union all select * from
        (select rowid from jobs where queue_id = ?9
    and status = 'pending' and scheduled_at <= ?2 order by scheduled_at, id limit ?10))
and exists (select id from nodes where id = ?1 )
returning team_id, id, original_id, attempt_number, queue_id, method, url, callback_url, scheduled_at,
    sealed_headers, payload, rowid as place

/* write-spent-rates */
insert into taken_slots (team_id, queue_id, number, recount_until, rate_spent_until)
select team_id, queue_id, 0, 0, rate_spent_until from (select value->>'team_id' as team_id, value->>'queue_id'
    as queue_id, value->>'rate_spent_until' as rate_spent_until from jsonb_each(?1)) as given where true
on conflict (team_id, queue_id, number) do update set rate_spent_until = excluded.rate_spent_until


-- Count jobs and executions of a team near its monthly limit

/* count-months */
insert into usage_months (team_id, month, used, granted)
select team_id, ?2, min(runs, monthly_limit), monthly_limit
from (select value->>'team_id' as team_id, value->>'runs' as runs, value->>'monthly_limit' as monthly_limit
    from jsonb_each(?1)) as given where true
on conflict (team_id, month) do update set
granted = max(0, min(excluded.used, excluded.granted - usage_months.used)), used = usage_months.used + max(0,
    min(excluded.used, excluded.granted - usage_months.used))
returning team_id, min(granted, used) as granted


-- Claim executions

/* read-teams */
select t.id, t.plan, coalesce((
    select m.used from usage_months m where m.team_id = t.id and m.month = ?2), 0) as used,
        t.sealed_signing_secret,
case when t.paused_at is null then 0 else 1 end as is_paused, t.pausing_windows
from (select value->>'id' as id from jsonb_each(?1)) as given  cross join teams t
where t.id = given.id and t.deleted_at is null

/* lock-node */
select id from nodes where id = ?1

/* lock-run-nows */
select x.id, x.created_at as due_at, c.id as cron_id, c.team_id, c.method, c.url, c.callback_url,
    c.cron_expression, c.timeout_seconds, c.assertions, c.slow_seconds, c.keeps_response_body, c.next_run_at,
    c.sealed_headers, c.payload
from (select value->>'team_id' as team_id, value->>'slots' as slots from jsonb_each(?1)) as given cross join
    executions x on x.rowid in (
  select x.rowid from executions x where x.team_id = given.team_id and x.status = 'pending'
  order by x.created_at, x.id limit ?2 ) cross join crons c
where c.team_id = x.team_id and c.id = x.cron_id

/* start-run-nows */
update executions set status = given.status, claimed_by = given.claimed_by, started_at = given.started_at
from (select value->>'team_id' as team_id, value->>'id' as id, value->>'status' as status,
    value->>'claimed_by' as claimed_by, value->>'started_at' as started_at from jsonb_each(?1)) as given
where executions.team_id = given.team_id and executions.id = given.id

/* lock-due-crons */
select c.id as cron_id, c.team_id, c.method, c.url, c.callback_url, c.cron_expression, c.timeout_seconds,
    c.assertions, c.slow_seconds, c.keeps_response_body, c.next_run_at, c.sealed_headers, c.payload, c.next_run_at
    as due_at, c.ends_at, c.max_runs, c.runs_counted
from (select value->>'team_id' as team_id, value->>'slots' as slots from jsonb_each(?1)) as given cross join
    crons c on c.rowid in (
  select x.rowid from crons x where x.team_id = given.team_id and x.next_run_at <= ?2
  order by x.next_run_at, x.id limit ?3 )

/* insert-ticks */
insert into executions (team_id, id, cron_id, scheduled_for, status, created_at, started_at, claimed_by)
select team_id, execution_id, cron_id, due_at, 'running', ?3, ?3, ?2
from (select value->>'team_id' as team_id, value->>'cron_id' as cron_id, value->>'execution_id' as
    execution_id, value->>'due_at' as due_at from jsonb_each(?1)) as given
where (select e.id from executions e where e.team_id = given.team_id
  and e.cron_id = given.cron_id and e.scheduled_for = given.due_at limit 1) is null and (select e.id from
      ended_executions e where e.team_id = given.team_id
  and e.cron_id = given.cron_id and e.scheduled_for = given.due_at limit 1) is null
on conflict (team_id, cron_id, scheduled_for) do nothing
returning id

/* move-crons-on */
update crons set next_run_at = given.next_run_at, runs_counted = given.runs_counted
from (select value->>'team_id' as team_id, value->>'id' as id, value->>'next_run_at' as next_run_at,
    value->>'runs_counted' as runs_counted from jsonb_each(?1)) as given
where crons.team_id = given.team_id and crons.id = given.id

/* read-team-heads */
select given.id,
case when t.paused_at is null then (select c.next_run_at from crons c
  where c.team_id = t.id and c.next_run_at is not null
  order by c.next_run_at limit 1) end as next_run_at,
(select e.created_at from executions e
  where e.team_id = t.id and e.status = 'pending'
  order by e.created_at limit 1) as waiting_since
from (select value->>'id' as id from jsonb_each(?1)) as given cross join teams t where t.id = given.id

/* count-starts */
insert into batch_counts (team_id, source_id, hour, outcome, step, runs)
select team_id, team_id, ?2 - ?2 % 3600000, 'started', null, runs from (select value->>'team_id' as team_id,
    value->>'runs' as runs from jsonb_each(?1)) as given where true


-- Settle jobs

/* end-jobs-by-place */
insert into ended_jobs (team_id, id, original_id, attempt_number, queue_id, method, url, callback_url,
    created_at, scheduled_at, started_at, actor, sealed_headers, payload, status, completed_at, response_status,
    reason, error_message, duration_ms, total_bytes, trace, body)
select jobs.team_id, jobs.id, jobs.original_id, jobs.attempt_number, jobs.queue_id, jobs.method, jobs.url,
    jobs.callback_url, jobs.created_at, jobs.scheduled_at, jobs.started_at, jobs.actor, jobs.sealed_headers,
    jobs.payload, given.status, given.completed_at, given.response_status, given.reason, given.error_message,
    given.duration_ms, given.total_bytes, given.trace, unhex(given.body) from (select value->>'team_id' as
    team_id, value->>'id' as id, value->>'status' as status, value->>'completed_at' as completed_at,
    value->>'response_status' as response_status, value->>'reason' as reason, value->>'error_message' as
    error_message, value->>'duration_ms' as duration_ms, value->>'total_bytes' as total_bytes, value->>'trace' as
    trace, value->>'body' as body, value->>'duration_step' as duration_step, value->>'place' as place from
    jsonb_each(?1)) as given cross join jobs
where jobs.rowid = given.place and jobs.id = given.id
and +jobs.status = 'processing' and jobs.claimed_by = ?2
returning id, queue_id as source_id, team_id, status, completed_at, reason, duration_ms

/* end-jobs */
insert into ended_jobs (team_id, id, original_id, attempt_number, queue_id, method, url, callback_url,
    created_at, scheduled_at, started_at, actor, sealed_headers, payload, status, completed_at, response_status,
    reason, error_message, duration_ms, total_bytes, trace, body)
select jobs.team_id, jobs.id, jobs.original_id, jobs.attempt_number, jobs.queue_id, jobs.method, jobs.url,
    jobs.callback_url, jobs.created_at, jobs.scheduled_at, jobs.started_at, jobs.actor, jobs.sealed_headers,
    jobs.payload, given.status, given.completed_at, given.response_status, given.reason, given.error_message,
    given.duration_ms, given.total_bytes, given.trace, unhex(given.body) from (select value->>'team_id' as
    team_id, value->>'id' as id, value->>'status' as status, value->>'completed_at' as completed_at,
    value->>'response_status' as response_status, value->>'reason' as reason, value->>'error_message' as
    error_message, value->>'duration_ms' as duration_ms, value->>'total_bytes' as total_bytes, value->>'trace' as
    trace, value->>'body' as body, value->>'duration_step' as duration_step, value->>'place' as place from
    jsonb_each(?1)) as given cross join jobs
where jobs.team_id = given.team_id and jobs.id = given.id
and +jobs.status = 'processing' and jobs.claimed_by = ?2
returning id, queue_id as source_id, team_id, status, completed_at, reason, duration_ms

/* copy-live-jobs */
insert into jobs (team_id, id, original_id, attempt_number, queue_id, status, method, url,
  callback_url, created_at, scheduled_at, actor, sealed_headers, payload)
select team_id, id, original_id, attempt_number, queue_id, 'pending', method, url,
callback_url, created_at, scheduled_at, actor, sealed_headers, payload
from (
  select j.team_id, given.id, given.original_id, given.attempt_number, j.queue_id, j.method, j.url,
  j.callback_url, given.created_at, given.scheduled_at,
  coalesce(given.actor, j.actor) as actor, j.sealed_headers, j.payload
  from (select value->>'team_id' as team_id, value->>'from_id' as from_id, value->>'id' as id,
      value->>'original_id' as original_id, value->>'attempt_number' as attempt_number, value->>'created_at' as
      created_at, value->>'scheduled_at' as scheduled_at, value->>'actor' as actor from jsonb_each(?1)) as given
      cross join jobs j
  where j.team_id = given.team_id and j.id = given.from_id
) as copies

/* insert-callbacks */
insert into callbacks (team_id, id, run_id, url, body, created_at)
select given.team_id, given.id, given.run_id, given.url, given.body, given.created_at
from (select value->>'team_id' as team_id, value->>'id' as id, value->>'run_id' as run_id, value->>'url' as
    url, value->>'body' as body, value->>'created_at' as created_at from jsonb_each(?1)) as given

/* count-batch */
insert into batch_counts (team_id, source_id, hour, outcome, step, runs)
select team_id, source_id, completed_at - completed_at % 3600000, case status when 'dead_lettered' then
    'failed' else status end,
duration_step, sum(runs)
from (select value->>'team_id' as team_id, value->>'source_id' as source_id, value->>'status' as status,
    value->>'completed_at' as completed_at, value->>'duration_step' as duration_step, value->>'runs' as runs from
    jsonb_each(?1)) as given where true group by 1, 2, 3, 4, 5

/* take-out-places */
delete from jobs where rowid in (select value from json_each(?1))

/* take-out-jobs */
delete from jobs where rowid in (
  select jobs.rowid from (select value->>'team_id' as team_id, value->>'id' as id from jsonb_each(?1)) as given
      cross join jobs
  where jobs.team_id = given.team_id and jobs.id = given.id
  and +jobs.status = 'processing' and jobs.claimed_by = ?2)


-- Settle executions

/* end-executions */
insert into ended_executions (team_id, id, cron_id, scheduled_for, created_at, started_at, actor, status,
    completed_at, response_status, reason, error_message, duration_ms, total_bytes, trace, body)
select executions.team_id, executions.id, executions.cron_id, executions.scheduled_for, executions.created_at,
    executions.started_at, executions.actor, given.status, given.completed_at, given.response_status,
    given.reason, given.error_message, given.duration_ms, given.total_bytes, given.trace, unhex(given.body) from
    (select value->>'team_id' as team_id, value->>'id' as id, value->>'status' as status, value->>'completed_at'
    as completed_at, value->>'response_status' as response_status, value->>'reason' as reason,
    value->>'error_message' as error_message, value->>'duration_ms' as duration_ms, value->>'total_bytes' as
    total_bytes, value->>'trace' as trace, value->>'body' as body, value->>'duration_step' as duration_step,
    value->>'place' as place from jsonb_each(?1)) as given cross join executions
where executions.team_id = given.team_id and executions.id = given.id
and +executions.status = 'running' and executions.claimed_by = ?2
returning id, cron_id as source_id, team_id, status, completed_at, reason, duration_ms , (select
    coalesce(c.alert_threshold, c.stop_after) from crons c where c.team_id = ended_executions.team_id and c.id =
    ended_executions.cron_id) as follows,
(select c.failed_runs + c.has_raised_failure from crons c where c.team_id = ended_executions.team_id and c.id
    = ended_executions.cron_id) as failed_runs

/* take-out-executions */
delete from executions where rowid in (
  select executions.rowid from (select value->>'team_id' as team_id, value->>'id' as id from jsonb_each(?1)) as
      given cross join executions
  where executions.team_id = given.team_id and executions.id = given.id
  and +executions.status = 'running' and executions.claimed_by = ?2)


-- Send callbacks

/* take-callbacks */
with living as materialized (
  select id from nodes where id = ?2
), waiting as materialized (
  select c.team_id, c.id, given.slots, row_number() over (partition by c.team_id order by c.id) as place
  from (select value->>'team_id' as team_id, value->>'slots' as slots from jsonb_each(?1)) as given cross join
      callbacks c on c.rowid in (
    select x.rowid from callbacks x where x.team_id = given.team_id and x.node_id is null
    order by x.id limit ?3 )
)
update callbacks set node_id = ?2
from (select team_id, id from waiting where place <= slots and exists (select 1 from living)) as free
where callbacks.team_id = free.team_id and callbacks.id = free.id
returning callbacks.team_id, callbacks.id, callbacks.run_id, callbacks.url, callbacks.body,
    callbacks.created_at,
(select t.sealed_signing_secret from teams t where t.id = callbacks.team_id) as sealed_signing_secret

/* delete-sent-callbacks */
delete from callbacks where (team_id, id) in (select team_id, id from (select value->>'team_id' as team_id,
    value->>'id' as id from jsonb_each(?1)) as given)


-- Scan for waiting runs and callbacks

/* scan-waiting-queues */
with heads as materialized (
  select q.id, q.team_id, (
    select j.scheduled_at from jobs j where j.queue_id = q.id and j.status = 'pending'
    and j.scheduled_at >= coalesce(given.from_at, ?2)
    order by j.scheduled_at, j.id limit 1
  ) as next_due_at
  from queues q left join (select value->>'id' as id, value->>'from_at' as from_at from jsonb_each(?1)) as given
      on given.id = q.id
)
select * from heads where next_due_at is not null

/* scan-waiting-teams */
with heads as materialized (
  select t.id,
  case when t.paused_at is null then (select c.next_run_at from crons c
    where c.team_id = t.id and c.next_run_at is not null and c.next_run_at >= coalesce(given.from_at, ?2)
    order by c.next_run_at limit 1) end as next_run_at,
  (select e.created_at from executions e
    where e.team_id = t.id and e.status = 'pending' and e.created_at >= coalesce(given.from_at, ?2)
    order by e.created_at limit 1) as waiting_since
  from teams t left join (select value->>'id' as id, value->>'from_at' as from_at from jsonb_each(?1)) as given
      on given.id = t.id
  where t.deleted_at is null
)
select id, id as team_id, case when waiting_since is null or next_run_at < waiting_since
then next_run_at else waiting_since end as next_due_at
from heads where next_run_at is not null or waiting_since is not null

/* scan-callback-teams */
select t.id as team_id from teams t where t.deleted_at is null
and (select c.id from callbacks c where c.team_id = t.id and c.node_id is null
  order by c.id limit 1) is not null


-- Add up counts of batches

/* find-batch-counts */
select id, team_id from batch_counts where id >= ?1 order by id limit ?2

/* take-batch-counts */
delete from batch_counts where id >= ?2 and id <= ?3
and +team_id in (select team_id from (select value->>'team_id' as team_id from jsonb_each(?1)) as given )
returning team_id, source_id, hour, outcome, step, runs

/* add-outcomes */
insert into outcome_hours (team_id, hour, outcome, runs)
select team_id, hour, outcome, sum(runs) from (select value->>'team_id' as team_id, value->>'source_id' as
    source_id, value->>'hour' as hour, value->>'outcome' as outcome, value->>'step' as step, value->>'runs' as
    runs from jsonb_each(?1)) as given where outcome <> 'started'
group by 1, 2, 3 order by 1, 2, 3
on conflict (team_id, hour, outcome) do update set runs = outcome_hours.runs + excluded.runs

/* add-durations */
insert into duration_hours (team_id, source_id, hour, outcome, step, runs)
select team_id, case of_team when 1 then team_id else source_id end, hour, outcome, step, sum(runs)
from (select value->>'team_id' as team_id, value->>'source_id' as source_id, value->>'hour' as hour,
    value->>'outcome' as outcome, value->>'step' as step, value->>'runs' as runs from jsonb_each(?1)) as given
    cross join (select 0 as of_team union all select 1) as sources
where step is not null
group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
on conflict (team_id, source_id, hour, outcome, step) do update set runs = duration_hours.runs + excluded.runs

/* add-to-months */
insert into usage_months (team_id, month, used)
select team_id, month, used from (select value->>'team_id' as team_id, value->>'month' as month,
    value->>'used' as used from jsonb_each(?1)) as given where true
on conflict (team_id, month) do update set used = usage_months.used + excluded.used


-- Delete expired runs

/* find-old-dead-letters */
select j.team_id, j.id from queues q cross join ended_jobs j where j.queue_id = q.id and j.status =
    'dead_lettered' and j.completed_at <= ?1 - cast(min(q.dead_letter_days, ?2) as bigint) * 86400000 limit ?3

/* find-old-failures */
select j.team_id, j.id from queues q cross join ended_jobs j where j.queue_id = q.id and j.status in
    ('retried', 'failed') and j.completed_at <= ?1 - cast(?2 as bigint) * 86400000 limit ?3

/* find-old-successes */
select j.team_id, j.id from queues q cross join ended_jobs j where j.queue_id = q.id and j.status = 'success'
    and j.completed_at <= ?1 - cast(?2 as bigint) * 86400000 limit ?3

/* find-old-executions */
select team_id, id from ended_executions where status <> '' and completed_at <= ?1
order by completed_at limit ?2

/* delete-ended-jobs */
delete from ended_jobs where (team_id, id) in (select team_id, id from (select value->>'team_id' as team_id,
    value->>'id' as id from jsonb_each(?1)) as given) returning ended_jobs.id

/* delete-ended-executions */
delete from ended_executions where (team_id, id) in (select team_id, id from (select value->>'team_id' as
    team_id, value->>'id' as id from jsonb_each(?1)) as given) returning ended_executions.id

/* find-gone-by-ended-jobs */
with recursive source_ids(source_id) as (
  select (select r.queue_id from ended_jobs r
    where r.queue_id > ?1 order by r.queue_id limit 1)
  union all
  select (select r.queue_id from ended_jobs r
    where r.queue_id > o.source_id order by r.queue_id limit 1) from source_ids o where o.source_id is not null
)
select o.source_id from source_ids o where o.source_id is not null
and (select x.id from queues x where x.id = o.source_id limit 1) is null

/* find-gone-by-ended-executions */
with recursive source_ids(source_id) as (
  select (select r.cron_id from ended_executions r
    where r.cron_id > ?1 order by r.cron_id limit 1)
  union all
  select (select r.cron_id from ended_executions r
    where r.cron_id > o.source_id order by r.cron_id limit 1) from source_ids o where o.source_id is not null
)
select o.source_id from source_ids o where o.source_id is not null
and (select x.id from crons x where x.id = o.source_id and x.team_id = (
    select r.team_id from ended_executions r where r.cron_id >= o.source_id order by r.cron_id limit 1) limit 1)
        is null
