import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PASSWORD, type TestUser, useDashboard } from '#testing/dashboard';
import { before } from '#testing/hooks';

/** Paths that a form or an address names as the next page, with characters that no header can carry. */

const dashboard = useDashboard({}, { sends: false });
let user: TestUser;
before(async () => {
  user = await dashboard.user('ada@bells.test');
});

const ODD = '\u00a0\uff0f\ufeff\u{1f514}\u0085\u2028';

test('a return path with characters that no header can carry is opened percent-encoded', async () => {
  const next = `/jobs?q=${ODD}`;
  const encoded = `/jobs?q=${encodeURIComponent(ODD)}`;
  const credentials = { email: user.email, password: PASSWORD };
  const signedIn = await dashboard.visitor().post('/login', { ...credentials, next });
  const visitor = await dashboard.signIn(user);
  const query = encodeURIComponent(next);
  for (const answer of [
    signedIn,
    await visitor.get(`/login?next=${query}`),
    await visitor.post('/theme', { theme: 'dark', next }),
    await visitor.post('/maintenance', { intent: 'start', source: '', next }),
    await visitor.post('/jobs/progress', { intent: 'cancel', task: '', next }),
    await visitor.post('/teams/switch', { teamId: user.teamId, next }),
    await visitor.post(`/logout?next=${query}`, {}),
  ])
    assert.deepEqual([answer.status, answer.headers.get('Location')], [302, encoded]);
  const page = await dashboard.visitor().get(`/login?next=${query}`);
  assert.equal(page.status, 200);
  assert.ok(page.text.includes(`name="next" value="${encoded}"`));
});
