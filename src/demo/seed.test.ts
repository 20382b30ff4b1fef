import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { readConfig } from '#config/config';
import { ask } from '#testing/ask';
import { startDashboard } from '#testing/dashboard';
import { TEST_APP_KEY } from '#testing/stores';
import { DEMO_SETTINGS } from './demo.ts';
import { DEMO, DEMO_DAYS, seedDemo } from './seed.ts';
import { startDemoTarget } from './target.ts';

test('the demo data is created and its pages show the sent requests', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'belfry-demo-'));
  const env = { ...DEMO_SETTINGS, DATABASE_URL: `sqlite:${path.join(folder, 'belfry.db')}` };
  const target = await startDemoTarget();
  try {
    const config = readConfig(env, '/');
    assert.ok(!('errors' in config));
    await seedDemo({ config, appKey: TEST_APP_KEY, target, days: 0.25 });
    await using dashboard = await startDashboard(env, { sends: false });
    const visitor = dashboard.visitor();
    const { email, password } = DEMO;
    assert.equal((await visitor.post('/login', { email, password })).status, 302);
    assert.match((await visitor.get('/jobs')).text, /thumbnails/);
    assert.match((await visitor.get('/crons')).text, /search index/i);
    const { store } = dashboard.service;
    const expiring = `select name from queues where dead_letter_days <= ${DEMO_DAYS}`;
    assert.deepEqual(await ask(store, expiring), [], 'dead letters that end with the start');
  } finally {
    target.close();
    fs.rmSync(folder, { recursive: true });
  }
});
