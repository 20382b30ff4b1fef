-- Accept jobs

/* insert-jobs */
insert into jobs (team_id, id, original_id, attempt_number, queue_id, status, method, url,
  callback_url, created_at, scheduled_at, actor, sealed_headers, payload)
select given.team_id, given.id, given.id, 1, q.id, 'pending', given.method, given.url,
given.callback_url, given.created_at, given.scheduled_at, given.actor, given.sealed_headers,
given.payload
from json_to_recordset($1::json) as given(team_id uuid, id uuid, queue text, method text, url text,
    callback_url text, created_at bigint, scheduled_at bigint, sealed_headers text, payload text, actor text)
    cross join queues q
where q.team_id = given.team_id and q.name = given.queue
returning id, queue_id


-- Claim jobs

/* claim-jobs-at-once */
with asked as materialized (
  select queue_id, slots, from_at from json_to_recordset($1::json) as given(queue_id uuid, slots integer,
      from_at bigint)
), limits as materialized (
  select plan, monthly_limit from json_to_recordset($5::json) as given(plan text, monthly_limit bigint)
), asked_queues as materialized (
  select q.id, q.timeout_seconds, q.concurrency_limit, q.rate, q.assertions,
  case when t.paused_at is null then q.is_paused else 1 end as is_paused, t.pausing_windows, q.slow_seconds,
      q.keeps_response_body, t.plan, t.sealed_signing_secret, q.team_id, asked.slots, asked.from_at,
  case when limits.plan is null then $6::bigint else limits.monthly_limit end as monthly_limit,
  (select jobs.scheduled_at from jobs
    where jobs.queue_id = q.id and jobs.status = 'pending' and jobs.scheduled_at > $3
    order by jobs.scheduled_at, jobs.id limit 1) as next_due_at
  from asked join queues q on q.id = asked.queue_id
  join teams t on t.id = q.team_id and t.deleted_at is null
  left join limits on limits.plan = t.plan
), open_queues as materialized (
  select q.*, case when q.monthly_limit is null then false
  else (q.monthly_limit is not null and q.monthly_limit - coalesce((
        select m.used from usage_months m where m.team_id = q.team_id and m.month = $4), 0) < 100000) end as
            is_near_limit
  from asked_queues q
),
due as materialized (
  select j.ctid
  from open_queues q cross join lateral (
    select jobs.ctid from jobs
    where jobs.queue_id = q.id and jobs.status = 'pending' and jobs.scheduled_at <= $3
    and jobs.scheduled_at >= q.from_at
    order by jobs.scheduled_at, jobs.id limit q.slots for update skip locked
  ) j
  where q.is_paused = 0 and not (q.concurrency_limit is not null or q.rate is not null) and not q.is_near_limit
      and q.pausing_windows is null and exists (select id from nodes where id = $2 for key share)
  limit 1000
), claimed as (
  update jobs set started_at = $3, status = 'processing', claimed_by = $2::uuid
  where jobs.ctid = any(array(select ctid from due))
  returning jobs.team_id, jobs.id, jobs.original_id, jobs.attempt_number, jobs.queue_id, jobs.method, jobs.url,
      jobs.callback_url, jobs.scheduled_at, jobs.sealed_headers, jobs.payload, jobs.ctid::text as place
), counted as (
  insert into batch_counts (team_id, source_id, hour, outcome, step, runs)
  select team_id, team_id, $3::bigint - $3::bigint % 3600000, 'started', null, runs from (
    select claimed.team_id, count(*) as runs
    from claimed group by claimed.team_id) as started
)
select claimed.*, null as queue from claimed
union all
select null, null, null, null, null, null, null, null, null, null, null, null, row_to_json(q)::text
from (select open_queues.*, (select count(*) from due) as chosen from open_queues) as q

/* lock-limited-queues */
select q.id from json_to_recordset($1::json) as given(queue_id uuid, slots integer, from_at bigint) cross join
    set_config('lock_timeout', '100ms', true) as lock_timeout cross join queues q
where q.id = given.queue_id and (q.concurrency_limit is not null or q.rate is not null)
order by q.id for no key update of q skip locked

/* read-taken-slots */
select q.id, q.timeout_seconds, q.concurrency_limit, q.rate, q.assertions,
case when t.paused_at is null then q.is_paused else 1 end as is_paused, t.pausing_windows, q.slow_seconds,
    q.keeps_response_body, t.plan, t.sealed_signing_secret, q.team_id, coalesce((
    select m.used from usage_months m where m.team_id = t.id and m.month = $3), 0) as used, (
  select j.scheduled_at from jobs j
  where j.queue_id = q.id and j.status = 'pending' and j.scheduled_at > $2
  order by j.scheduled_at, j.id limit 1
) as next_due_at, last.number, last.rate_spent_until, last.job_ids is not null as is_known,
coalesce(last.recount_until, 0) as recount_until, case
when q.concurrency_limit is null then null
when last.job_ids is null or last.recount_until > $2 then array(
  select j.id from jobs j where j.queue_id = q.id and j.status = 'processing')
else array(
  select kept.id from unnest(last.job_ids) as kept(id)
  where (select j.status from jobs j where j.team_id = q.team_id and j.id = kept.id) = 'processing')
end as running_ids
from json_to_recordset($1::json) as given(queue_id uuid, slots integer, from_at bigint) cross join queues q
    cross join teams t left join lateral (
  select number, job_ids, recount_until, rate_spent_until from taken_slots s
  where s.team_id = q.team_id and s.queue_id = q.id order by s.number desc limit 1
) last on true
where q.id = given.queue_id and t.id = q.team_id and t.deleted_at is null

/* lock-months */
select given.id from json_to_recordset($1::json) as given(id uuid)
where exists (select 1 from usage_months c where c.team_id = given.id and c.month = $2)
and not exists (select 1 from (select 1 from usage_months c where c.team_id = given.id and c.month = $2 for no
    key update skip locked) as locked)

/* claim-jobs-in-steps */
with open_queues as materialized (
  select queue_id as id, slots, from_at from json_to_recordset($1::json) as given(queue_id uuid, slots integer,
      from_at bigint)
),
due as materialized (
  select j.ctid
  from open_queues q cross join lateral (
    select jobs.ctid from jobs
    where jobs.queue_id = q.id and jobs.status = 'pending' and jobs.scheduled_at <= $3
    and jobs.scheduled_at >= q.from_at
    order by jobs.scheduled_at, jobs.id limit q.slots for update skip locked
  ) j
  where q.slots > 0 and exists (select id from nodes where id = $2 for key share)
  limit 1000
), claimed as (
  update jobs set started_at = $3, status = 'processing', claimed_by = $2::uuid
  where jobs.ctid = any(array(select ctid from due))
  returning jobs.team_id, jobs.id, jobs.original_id, jobs.attempt_number, jobs.queue_id, jobs.method, jobs.url,
      jobs.callback_url, jobs.scheduled_at, jobs.sealed_headers, jobs.payload, jobs.ctid::text as place
)
select claimed.*, counted.chosen
from (select count(*) as chosen from due) as counted left join claimed on true

/* keep-taken-slots */
with taken as materialized (
  select given.* from json_to_recordset($1::json) as given(team_id uuid, queue_id uuid, number bigint, job_ids
      uuid[], recount_until bigint, rate_spent_until bigint)
), kept as (
  insert into taken_slots (team_id, queue_id, number, job_ids, recount_until, rate_spent_until)
  select team_id, queue_id, number + 1, job_ids, recount_until, rate_spent_until from taken
)
delete from taken_slots s using taken
where s.team_id = taken.team_id and s.queue_id = taken.queue_id and s.number = taken.number


-- Count jobs and executions of a team near its monthly limit

/* count-months */
insert into usage_months (team_id, month, used, granted)
select team_id, $2, least(runs, monthly_limit), monthly_limit
from json_to_recordset($1::json) as given(team_id uuid, runs bigint, monthly_limit bigint) where true
on conflict (team_id, month) do update set
granted = greatest(0, least(excluded.used, excluded.granted - usage_months.used)), used = usage_months.used +
    greatest(0, least(excluded.used, excluded.granted - usage_months.used))
returning team_id, least(granted, used) as granted


-- Claim executions

/* read-teams */
select t.id, t.plan, coalesce((
    select m.used from usage_months m where m.team_id = t.id and m.month = $2), 0) as used,
        t.sealed_signing_secret,
case when t.paused_at is null then 0 else 1 end as is_paused, t.pausing_windows
from json_to_recordset($1::json) as given(id uuid) cross join set_config('lock_timeout', '100ms', true) as
    lock_timeout cross join teams t
where t.id = given.id and t.deleted_at is null

/* lock-node */
select id from nodes where id = $1 for key share

/* lock-run-nows */
select x.id, x.created_at as due_at, c.id as cron_id, c.team_id, c.method, c.url, c.callback_url,
    c.cron_expression, c.timeout_seconds, c.assertions, c.slow_seconds, c.keeps_response_body, c.next_run_at,
    c.sealed_headers, c.payload
from json_to_recordset($1::json) as given(team_id uuid, slots integer) cross join lateral (
  select x.team_id, x.id, x.cron_id, x.created_at from executions x where x.team_id = given.team_id and x.status
      = 'pending'
  order by x.created_at, x.id limit $2 for update skip locked) as x cross join crons c
where c.team_id = x.team_id and c.id = x.cron_id

/* start-run-nows */
update executions set status = given.status, claimed_by = given.claimed_by, started_at = given.started_at
from json_to_recordset($1::json) as given(team_id uuid, id uuid, status text, claimed_by uuid, started_at
    bigint)
where (executions.team_id, executions.id) >= (given.team_id, given.id) and (executions.team_id, executions.id)
    <= (given.team_id, given.id)

/* lock-due-crons */
select c.id as cron_id, c.team_id, c.method, c.url, c.callback_url, c.cron_expression, c.timeout_seconds,
    c.assertions, c.slow_seconds, c.keeps_response_body, c.next_run_at, c.sealed_headers, c.payload, c.next_run_at
    as due_at, c.ends_at, c.max_runs, c.runs_counted
from json_to_recordset($1::json) as given(team_id uuid, slots integer) cross join lateral (
  select x.id, x.team_id, x.method, x.url, x.callback_url, x.cron_expression, x.timeout_seconds, x.assertions,
      x.slow_seconds, x.keeps_response_body, x.next_run_at, x.sealed_headers, x.payload, x.ends_at, x.max_runs,
      x.runs_counted from crons x where x.team_id = given.team_id and x.next_run_at <= $2
  order by x.next_run_at, x.id limit $3 for update skip locked) as c

/* insert-ticks */
insert into executions (team_id, id, cron_id, scheduled_for, status, created_at, started_at, claimed_by)
select team_id, execution_id, cron_id, due_at, 'running', $3::bigint, $3::bigint, $2::uuid
from json_to_recordset($1::json) as given(team_id uuid, cron_id uuid, execution_id uuid, due_at bigint)
where (select e.id from executions e where e.team_id = given.team_id
  and e.cron_id = given.cron_id and e.scheduled_for = given.due_at limit 1) is null and (select e.id from
      ended_executions e where e.team_id = given.team_id
  and e.cron_id = given.cron_id and e.scheduled_for = given.due_at limit 1) is null
on conflict (team_id, cron_id, scheduled_for) do nothing
returning id

/* move-crons-on */
update crons set next_run_at = given.next_run_at, runs_counted = given.runs_counted
from json_to_recordset($1::json) as given(team_id uuid, id uuid, next_run_at bigint, runs_counted integer)
where (crons.team_id, crons.id) >= (given.team_id, given.id) and (crons.team_id, crons.id) <= (given.team_id,
    given.id)

/* read-team-heads */
select given.id,
case when t.paused_at is null then (select c.next_run_at from crons c
  where c.team_id = t.id and c.next_run_at is not null
  order by c.next_run_at limit 1) end as next_run_at,
(select e.created_at from executions e
  where e.team_id = t.id and e.status = 'pending'
  order by e.created_at limit 1) as waiting_since
from json_to_recordset($1::json) as given(id uuid) cross join teams t where t.id = given.id

/* count-starts */
insert into batch_counts (team_id, source_id, hour, outcome, step, runs)
select team_id, team_id, $2::bigint - $2::bigint % 3600000, 'started', null, runs from
    json_to_recordset($1::json) as given(team_id uuid, runs integer) where true


-- Settle jobs

/* end-jobs-by-place-at-once */
with ends as materialized (
  select given.* from unnest($2::uuid[], $3::uuid[], $4::text[], $5::bigint[], $6::integer[], $7::text[],
      $8::text[], $9::integer[], $10::bigint[], string_to_array($11, E'\x1e', E'\x1f'), $12::text[], $13::integer[],
      $14::tid[]) as given(team_id, id, status, completed_at, response_status, reason, error_message, duration_ms,
      total_bytes, trace, body, duration_step, place) cross join set_config('lock_timeout', '100ms', true) as
      lock_timeout
), ended as (
  delete from jobs using ends
  where jobs.ctid = ends.place and jobs.id = ends.id
  and jobs.status || '' = 'processing'
  and jobs.claimed_by = $1
  returning jobs.team_id, jobs.id, jobs.original_id, jobs.attempt_number, jobs.queue_id, jobs.method, jobs.url,
      jobs.callback_url, jobs.created_at, jobs.scheduled_at, jobs.started_at, jobs.actor, jobs.sealed_headers,
      jobs.payload,
  jobs.queue_id as source_id, ends.duration_step,
  ends.status, ends.completed_at, ends.response_status, ends.reason, ends.error_message, ends.duration_ms,
      ends.total_bytes, ends.trace, ends.body
), written as (
  insert into ended_jobs (team_id, id, original_id, attempt_number, queue_id, method, url, callback_url,
      created_at, scheduled_at, started_at, actor, sealed_headers, payload, status, completed_at, response_status,
      reason, error_message, duration_ms, total_bytes, trace, body)
  select ended.team_id, ended.id, ended.original_id, ended.attempt_number, ended.queue_id, ended.method,
      ended.url, ended.callback_url, ended.created_at, ended.scheduled_at, ended.started_at, ended.actor,
      ended.sealed_headers, ended.payload, ended.status, ended.completed_at, ended.response_status, ended.reason,
      ended.error_message, ended.duration_ms, ended.total_bytes, ended.trace, decode(ended.body, 'hex') from ended
), counted as (
  insert into batch_counts (team_id, source_id, hour, outcome, step, runs)
  select team_id, source_id, completed_at - completed_at % 3600000, case status when 'dead_lettered' then
      'failed' else status end,
  duration_step, count(*)
  from ended group by 1, 2, 3, 4, 5
)
select case when count(*) < (select count(*) from ends)
then coalesce(array_agg(id), '{}') end as ids from ended

/* end-jobs-with-follow-ups */
with ends as materialized (
  select given.* from unnest($2::uuid[], $3::uuid[], $4::text[], $5::bigint[], $6::integer[], $7::text[],
      $8::text[], $9::integer[], $10::bigint[], string_to_array($11, E'\x1e', E'\x1f'), $12::text[], $13::integer[],
      $14::tid[]) as given(team_id, id, status, completed_at, response_status, reason, error_message, duration_ms,
      total_bytes, trace, body, duration_step, place) cross join set_config('lock_timeout', '100ms', true) as
      lock_timeout
), ended as (
  delete from jobs using ends
  where (jobs.team_id, jobs.id) >= (ends.team_id, ends.id) and (jobs.team_id, jobs.id) <= (ends.team_id,
      ends.id)
  and jobs.status || '' = 'processing'
  and jobs.claimed_by = $1
  returning jobs.team_id, jobs.id, jobs.original_id, jobs.attempt_number, jobs.queue_id, jobs.method, jobs.url,
      jobs.callback_url, jobs.created_at, jobs.scheduled_at, jobs.started_at, jobs.actor, jobs.sealed_headers,
      jobs.payload,
  jobs.queue_id as source_id, ends.duration_step,
  ends.status, ends.completed_at, ends.response_status, ends.reason, ends.error_message, ends.duration_ms,
      ends.total_bytes, ends.trace, ends.body
), written as (
  insert into ended_jobs (team_id, id, original_id, attempt_number, queue_id, method, url, callback_url,
      created_at, scheduled_at, started_at, actor, sealed_headers, payload, status, completed_at, response_status,
      reason, error_message, duration_ms, total_bytes, trace, body)
  select ended.team_id, ended.id, ended.original_id, ended.attempt_number, ended.queue_id, ended.method,
      ended.url, ended.callback_url, ended.created_at, ended.scheduled_at, ended.started_at, ended.actor,
      ended.sealed_headers, ended.payload, ended.status, ended.completed_at, ended.response_status, ended.reason,
      ended.error_message, ended.duration_ms, ended.total_bytes, ended.trace, decode(ended.body, 'hex') from ended
), counted as (
  insert into batch_counts (team_id, source_id, hour, outcome, step, runs)
  select team_id, source_id, completed_at - completed_at % 3600000, case status when 'dead_lettered' then
      'failed' else status end,
  duration_step, count(*)
  from ended group by 1, 2, 3, 4, 5
) , callbacks_of as (
  insert into callbacks (team_id, id, run_id, url, body, created_at)
  select given.team_id, given.id, given.run_id, given.url, given.body, given.created_at
  from json_to_recordset($15::json) as given(team_id uuid, id uuid, run_id uuid, url text, body text, created_at
      bigint) join ended on ended.id = given.run_id) , next_attempts as (
  insert into jobs (team_id, id, original_id, attempt_number, queue_id, status, method, url,
    callback_url, created_at, scheduled_at, actor, sealed_headers, payload)
  select team_id, id, original_id, attempt_number, queue_id, 'pending', method, url,
  callback_url, created_at, scheduled_at, actor, sealed_headers, payload
  from (
    select j.team_id, given.id, given.original_id, given.attempt_number, j.queue_id, j.method, j.url,
    j.callback_url, given.created_at, given.scheduled_at,
    coalesce(given.actor, j.actor) as actor, j.sealed_headers, j.payload
    from json_to_recordset($16::json) as given(team_id uuid, from_id uuid, id uuid, original_id uuid,
        attempt_number integer, created_at bigint, scheduled_at bigint, actor text) cross join ended j
    where j.team_id = given.team_id and j.id = given.from_id
  ) as copies)
select case when count(*) < (select count(*) from ends)
then coalesce(array_agg(id), '{}') end as ids from ended


-- Settle executions

/* end-executions-with-follow-ups */
with ends as materialized (
  select given.* from unnest($2::uuid[], $3::uuid[], $4::text[], $5::bigint[], $6::integer[], $7::text[],
      $8::text[], $9::integer[], $10::bigint[], string_to_array($11, E'\x1e', E'\x1f'), $12::text[], $13::integer[],
      $14::tid[]) as given(team_id, id, status, completed_at, response_status, reason, error_message, duration_ms,
      total_bytes, trace, body, duration_step, place) cross join set_config('lock_timeout', '100ms', true) as
      lock_timeout
), ended as (
  delete from executions using ends
  where (executions.team_id, executions.id) >= (ends.team_id, ends.id) and (executions.team_id, executions.id)
      <= (ends.team_id, ends.id)
  and executions.status || '' = 'running'
  and executions.claimed_by = $1
  returning executions.team_id, executions.id, executions.cron_id, executions.scheduled_for,
      executions.created_at, executions.started_at, executions.actor,
  executions.cron_id as source_id, ends.duration_step,
  ends.status, ends.completed_at, ends.response_status, ends.reason, ends.error_message, ends.duration_ms,
      ends.total_bytes, ends.trace, ends.body
), written as (
  insert into ended_executions (team_id, id, cron_id, scheduled_for, created_at, started_at, actor, status,
      completed_at, response_status, reason, error_message, duration_ms, total_bytes, trace, body)
  select ended.team_id, ended.id, ended.cron_id, ended.scheduled_for, ended.created_at, ended.started_at,
      ended.actor, ended.status, ended.completed_at, ended.response_status, ended.reason, ended.error_message,
      ended.duration_ms, ended.total_bytes, ended.trace, decode(ended.body, 'hex') from ended
), counted as (
  insert into batch_counts (team_id, source_id, hour, outcome, step, runs)
  select team_id, source_id, completed_at - completed_at % 3600000, case status when 'dead_lettered' then
      'failed' else status end,
  duration_step, count(*)
  from ended group by 1, 2, 3, 4, 5
) , callbacks_of as (
  insert into callbacks (team_id, id, run_id, url, body, created_at)
  select given.team_id, given.id, given.run_id, given.url, given.body, given.created_at
  from json_to_recordset($15::json) as given(team_id uuid, id uuid, run_id uuid, url text, body text, created_at
      bigint) join ended on ended.id = given.run_id)
select ended.id , (select coalesce(c.alert_threshold, c.stop_after) from crons c where c.team_id =
    ended.team_id and c.id = ended.cron_id) as follows,
(select c.failed_runs + c.has_raised_failure from crons c where c.team_id = ended.team_id and c.id =
    ended.cron_id) as failed_runs from ended


-- Send callbacks

/* take-callbacks */
with living as materialized (
  select id from nodes where id = $2 for key share
), waiting as materialized (
  select c.team_id, c.id, given.slots, row_number() over (partition by c.team_id order by c.id) as place
  from json_to_recordset($1::json) as given(team_id uuid, slots integer) cross join lateral (
    select x.team_id, x.id from callbacks x where x.team_id = given.team_id and x.node_id is null
    order by x.id limit $3 for update skip locked) as c
)
update callbacks set node_id = $2::uuid
from (select team_id, id from waiting where place <= slots and exists (select 1 from living)) as free
where (callbacks.team_id, callbacks.id) >= (free.team_id, free.id) and (callbacks.team_id, callbacks.id) <=
    (free.team_id, free.id)
returning callbacks.team_id, callbacks.id, callbacks.run_id, callbacks.url, callbacks.body,
    callbacks.created_at,
(select t.sealed_signing_secret from teams t where t.id = callbacks.team_id) as sealed_signing_secret

/* delete-sent-callbacks */
delete from callbacks using json_to_recordset($1::json) as given(team_id uuid, id uuid) cross join
    set_config('lock_timeout', '100ms', true) as lock_timeout
where (callbacks.team_id, callbacks.id) >= (given.team_id, given.id) and (callbacks.team_id, callbacks.id) <=
    (given.team_id, given.id)


-- Scan for waiting runs and callbacks

/* scan-waiting-queues */
with heads as materialized (
  select q.id, q.team_id, (
    select j.scheduled_at from jobs j where j.queue_id = q.id and j.status = 'pending'
    and j.scheduled_at >= coalesce(given.from_at, $2)
    order by j.scheduled_at, j.id limit 1
  ) as next_due_at
  from queues q left join json_to_recordset($1::json) as given(id uuid, from_at bigint) on given.id = q.id
)
select * from heads where next_due_at is not null

/* scan-waiting-teams */
with heads as materialized (
  select t.id,
  case when t.paused_at is null then (select c.next_run_at from crons c
    where c.team_id = t.id and c.next_run_at is not null and c.next_run_at >= coalesce(given.from_at, $2)
    order by c.next_run_at limit 1) end as next_run_at,
  (select e.created_at from executions e
    where e.team_id = t.id and e.status = 'pending' and e.created_at >= coalesce(given.from_at, $2)
    order by e.created_at limit 1) as waiting_since
  from teams t left join json_to_recordset($1::json) as given(id uuid, from_at bigint) on given.id = t.id
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
select id, team_id from batch_counts where id >= $1 order by id limit $2

/* take-batch-counts */
delete from batch_counts where id >= $2 and id <= $3
and team_id || '' in (select team_id from json_to_recordset($1::json) as given(team_id text) cross join
    set_config('lock_timeout', '100ms', true) as lock_timeout)
returning team_id, source_id, hour, outcome, step, runs

/* add-outcomes */
insert into outcome_hours (team_id, hour, outcome, runs)
select team_id, hour, outcome, sum(runs) from json_to_recordset($1::json) as given(team_id uuid, source_id
    uuid, hour bigint, outcome text, step integer, runs bigint) where outcome <> 'started'
group by 1, 2, 3 order by 1, 2, 3
on conflict (team_id, hour, outcome) do update set runs = outcome_hours.runs + excluded.runs

/* add-durations */
insert into duration_hours (team_id, source_id, hour, outcome, step, runs)
select team_id, case of_team when 1 then team_id else source_id end, hour, outcome, step, sum(runs)
from json_to_recordset($1::json) as given(team_id uuid, source_id uuid, hour bigint, outcome text, step
    integer, runs bigint) cross join (select 0 as of_team union all select 1) as sources
where step is not null
group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
on conflict (team_id, source_id, hour, outcome, step) do update set runs = duration_hours.runs + excluded.runs

/* add-to-months */
insert into usage_months (team_id, month, used)
select team_id, month, used from json_to_recordset($1::json) as given(team_id uuid, month text, used bigint)
    where true
on conflict (team_id, month) do update set used = usage_months.used + excluded.used


-- Delete expired runs

/* find-old-dead-letters */
select j.team_id, j.id from queues q cross join lateral (
  select j.team_id, j.id from ended_jobs j where j.queue_id = q.id and j.status = 'dead_lettered' and
      j.completed_at <= $1 - cast(least(q.dead_letter_days, $2) as bigint) * 86400000
  limit $3) as j limit $3

/* find-old-failures */
select j.team_id, j.id from queues q cross join lateral (
  select j.team_id, j.id from ended_jobs j where j.queue_id = q.id and j.status in ('retried', 'failed') and
      j.completed_at <= $1 - cast($2 as bigint) * 86400000
  limit $3) as j limit $3

/* find-old-successes */
select j.team_id, j.id from queues q cross join lateral (
  select j.team_id, j.id from ended_jobs_rest j where j.queue_id = q.id and j.status = 'success' and
      j.completed_at <= $1 - cast($2 as bigint) * 86400000
  limit $3) as j limit $3

/* find-old-executions */
select team_id, id from ended_executions where status <> '' and completed_at <= $1
order by completed_at limit $2

/* delete-ended-jobs */
delete from ended_jobs using json_to_recordset($1::json) as given(team_id uuid, id uuid)
where (ended_jobs.team_id, ended_jobs.id) >= (given.team_id, given.id) and (ended_jobs.team_id, ended_jobs.id)
    <= (given.team_id, given.id) returning ended_jobs.id

/* delete-ended-executions */
delete from ended_executions using json_to_recordset($1::json) as given(team_id uuid, id uuid)
where (ended_executions.team_id, ended_executions.id) >= (given.team_id, given.id) and
    (ended_executions.team_id, ended_executions.id) <= (given.team_id, given.id) returning ended_executions.id

/* find-gone-by-ended-jobs */
with recursive source_ids(source_id) as (
  select (select r.queue_id from ended_jobs r
    where r.queue_id > $1::uuid order by r.queue_id limit 1)
  union all
  select (select r.queue_id from ended_jobs r
    where r.queue_id > o.source_id order by r.queue_id limit 1) from source_ids o where o.source_id is not null
)
select o.source_id from source_ids o where o.source_id is not null
and (select x.id from queues x where x.id = o.source_id limit 1) is null

/* find-gone-by-ended-executions */
with recursive source_ids(source_id) as (
  select (select r.cron_id from ended_executions r
    where r.cron_id > $1::uuid order by r.cron_id limit 1)
  union all
  select (select r.cron_id from ended_executions r
    where r.cron_id > o.source_id order by r.cron_id limit 1) from source_ids o where o.source_id is not null
)
select o.source_id from source_ids o where o.source_id is not null
and (select x.id from crons x where x.id = o.source_id and x.team_id = (
    select r.team_id from ended_executions r where r.cron_id >= o.source_id order by r.cron_id limit 1) limit 1)
        is null
