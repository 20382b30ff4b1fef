import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { areAllDone, readFirstSteps } from './first-steps.ts';

type Facts = Parameters<typeof readFirstSteps>[0];
type Job = Extract<Facts['overview']['nextUp'][number], { kind: 'job' }>['job'];

const nothing: Facts = {
  overview: { justHappened: [], lastMonth: [], nextUp: [] },
  counts: {
    crons: { active: 0, paused: 0 },
    queues: { active: 0, paused: 0 },
    jobs: { pending: 0, processing: 0, retrying: 0 },
  },
  attention: { failedJobs: 0 },
  areAlertsTold: false,
  now: 0,
};

const jobs = (counted: Partial<Facts['counts']['jobs']>): Facts => ({
  ...nothing,
  counts: { ...nothing.counts, jobs: { ...nothing.counts.jobs, ...counted } },
});

/** A job that waits and is due at an instant. */
const due = (at: number): Facts => ({
  ...jobs({ pending: 1 }),
  overview: { ...nothing.overview, nextUp: [{ kind: 'job', job: {} as Job, at }] },
});

describe('the first steps', () => {
  test('are open where nothing has happened', () => {
    const steps = readFirstSteps(nothing);
    assert.deepEqual(
      [steps.job.state, steps.cron.state, steps.alerts.state],
      ['open', 'open', 'open'],
    );
    assert.equal(areAllDone(steps), false);
  });

  test('tell a job that is on its way from one that has failed', () => {
    assert.equal(readFirstSteps(due(0)).job.state, 'under-way');
    assert.equal(readFirstSteps(jobs({ processing: 1 })).job.state, 'under-way');
    assert.equal(readFirstSteps(jobs({ retrying: 1 })).job.state, 'failed');
    assert.equal(readFirstSteps({ ...nothing, attention: { failedJobs: 1 } }).job.state, 'failed');
  });

  test('do not wait for a job that is due much later', () => {
    assert.equal(readFirstSteps(due(3_600_000)).job.state, 'open');
  });

  test('stay done when what was done is long ago, whatever fails now', () => {
    const outcomes = { success: 1, retried: 0, failed: 0 };
    const step = { from: 0, to: 1, downMs: 0, isDown: false, ...outcomes };
    const steps = readFirstSteps({
      ...nothing,
      overview: { ...nothing.overview, lastMonth: [step] },
      attention: { failedJobs: 3 },
    });
    assert.deepEqual(steps.job, { state: 'done', runTo: null, said: null });
  });

  test('count a paused cron, and alerts that reach somebody', () => {
    const steps = readFirstSteps({
      ...nothing,
      counts: { ...nothing.counts, crons: { active: 0, paused: 1 } },
      areAlertsTold: true,
    });
    assert.deepEqual(steps.cron, { state: 'done', nextRunAt: null });
    assert.equal(steps.alerts.state, 'done');
    assert.equal(areAllDone(steps), false, 'no job has arrived');
  });
});
