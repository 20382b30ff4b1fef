import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findBarriers } from './axe.ts';
import { startBrowser } from './browser.ts';

/** Elements that break rules of each weight: those of `region` and `heading-order` are moderate. */
const BARRIERS = `<html><head><title>Bells</title></head><body>
  <h4>A heading out of order, outside of landmarks</h4>
  <img src="data:,">
  <button></button>
  <p style="color: #999; background: #fff">pale</p>
  <input>
  <a href="/a"></a>
  <div role="checkbox"></div>
  <ul><div>no item</div></ul>
  <iframe srcdoc="a frame"></iframe>
</body></html>`;

test('a page’s serious barriers are those that all rules together find', async () => {
  await using browser = await startBrowser();
  await using watched = await browser.newPage();
  const { page } = watched;
  await page.setContent(BARRIERS);
  const found = await findBarriers(page);
  const all = await page.evaluate<{ id: string; impact: string }[]>(
    'axe.run().then(({ violations }) => violations.map(({ id, impact }) => ({ id, impact })))',
  );
  const serious = all.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  assert.deepEqual(
    found.map((line) => line.split(':')[0]),
    serious.map(({ id }) => id),
  );
  assert.ok(serious.length > 7, JSON.stringify(serious));
  assert.ok(all.length > serious.length, 'others were found too');
});
