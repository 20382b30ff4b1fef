import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeDashboard } from './surroundings.ts';

test('a dashboard that is not built is warned of, unless the process only sends', () => {
  const of = (role: 'all' | 'engine', isBuilt: boolean) => judgeDashboard({ role }, isBuilt);
  assert.deepEqual(of('all', true), [{ check: 'dashboard', status: 'ok', message: 'it is built' }]);
  const [missing] = of('all', false);
  assert.equal(missing?.status, 'warn');
  assert.match(missing.message, /npm start or npm run build/);
  assert.deepEqual(of('engine', false), []);
});
