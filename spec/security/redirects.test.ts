import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { PASSWORD, startDashboard, type TestDashboard, type TestUser } from '#testing/dashboard';

/** Paths that a form or an address names as the next page, with characters that no header can carry. */

let dashboard: TestDashboard;
let user: TestUser;

before(async () => {
  dashboard = await startDashboard();
  user = await dashboard.user('ada@bells.test');
});
after(() => dashboard[Symbol.asyncDispose]());

const ODD = ['\u00a0', '\uff0f', '\ufeff', '\u{1f514}', '\u0085', '\u2028'];

for (const odd of ODD) {
  test(`a return path with ${encodeURIComponent(odd)} is opened percent-encoded`, async () => {
    const next = `/jobs?q=${odd}`;
    const encoded = `/jobs?q=${encodeURIComponent(odd)}`;
    const credentials = { email: user.email, password: PASSWORD };
    const signedIn = await dashboard.visitor().post('/login', { ...credentials, next });
    assert.deepEqual([signedIn.status, signedIn.headers.get('Location')], [302, encoded]);

    const visitor = await dashboard.signIn(user);
    const query = encodeURIComponent(next);
    for (const answer of [
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
}
