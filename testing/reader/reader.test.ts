import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { openReader } from './reader.ts';

const PAGE = `<!DOCTYPE html><html><head><title>Bells &amp; gongs</title></head><body>
  <nav><a href="/other?a=1">Other</a><a href="http://127.0.0.1:9/">Away</a></nav>
  <h1>Bells</h1><p>Said <b>out loud</b></p><p hidden>Said in secret</p>
  <button type="button" popoverTarget="more">More</button>
  <div id="more" popover><button form="bell" name="intent" value="ring">Ring</button></div>
  <details><summary>Further</summary><p>Deep down</p></details>
  <form id="bell" method="post" action="/rung" noValidate>
    <label>Name <input name="name" value="Great &quot;Paul&quot;"/></label>
    <label for="notes">Notes</label><textarea id="notes" name="notes">
&lt;deep&gt; &amp; long</textarea>
    <label>Key <select name="key"><option value="a">In A</option><option>B</option></select></label>
    <label><input type="checkbox" name="loud"/> Loud</label>
    <label><input type="radio" name="by" value="hand" checked/> By hand</label>
    <label><input type="radio" name="by" value="rope"/> By rope</label>
    <label>Weight <input name="weight" disabled/></label>
    <button name="intent" value="save">Save</button>
  </form>
  <form action="/found"><label>Find <input name="q" required/></label><button>Find it</button></form>
  <button type="button">Only a script</button>
</body></html>`;

describe('the reader of pages without scripts', () => {
  const asked: { method: string; url: string; body: string; cookie: string }[] = [];
  let url: string;
  const server = http.createServer((request, response) => void answer(request, response));
  async function answer(request: http.IncomingMessage, response: http.ServerResponse) {
    const { method = '', url: path = '', headers } = request;
    asked.push({ method, url: path, body: await text(request), cookie: headers.cookie ?? '' });
    if (path === '/rung')
      return response.writeHead(303, { Location: '/', 'Set-Cookie': 'seen=yes; Path=/' }).end();
    const status = path === '/broken' ? 500 : 200;
    return response.writeHead(status, { 'Content-Type': 'text/html; charset=utf-8' }).end(PAGE);
  }
  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => server.close());

  async function open() {
    const watched = openReader();
    await watched.page.goto(`${url}/`);
    return watched;
  }

  test('the reader finds visible elements by role, text and label', async () => {
    const { page } = await open();
    await page.getByRole('heading', { name: 'bells', level: 1 }).waitFor();
    assert.equal(await page.getByRole('heading', { name: 'Bell', exact: true }).count(), 0);
    assert.equal(await page.title(), 'Bells & gongs');
    assert.equal(await page.getByText('out loud').textContent(), 'out loud');
    assert.equal(
      await page.getByRole('button', { name: 'Ring' }).count(),
      0,
      'in a closed popover',
    );
    for (const hidden of ['Said in secret', 'Deep down'])
      await assert.rejects(page.getByText(hidden).waitFor(), /is not there/);
    await page.getByText('Further').click();
    await page.getByText('Deep down').waitFor();
  });

  test('the reader sends forms as browsers do', async () => {
    const { page, context } = await open();
    assert.equal(await page.getByLabel('Name').inputValue(), 'Great "Paul"');
    assert.equal(await page.getByLabel('Notes').inputValue(), '<deep> & long');
    await page.getByLabel('Notes').fill('one\ntwo');
    await page.getByLabel('Key').selectOption('B');
    await page.getByLabel('Loud').check();
    await page.getByLabel('By rope').check();
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('button', { name: 'Ring' }).click();
    const [sent, then] = asked.slice(-2);
    assert.equal(sent?.method, 'POST');
    assert.deepEqual(
      [...new URLSearchParams(sent?.body)],
      [
        ['intent', 'ring'],
        ['name', 'Great "Paul"'],
        ['notes', 'one\r\ntwo'],
        ['key', 'B'],
        ['loud', 'on'],
        ['by', 'rope'],
      ],
    );
    assert.deepEqual([then?.method, then?.url, then?.cookie], ['GET', '/', 'seen=yes']);
    assert.equal((await context.cookies())[0]?.name, 'seen');
  });

  test('follows links of the same service only, and puts the fields of a search into the address', async () => {
    const { page } = await open();
    await page.getByRole('link', { name: 'Other' }).click();
    assert.equal(page.url(), `${url}/other?a=1`);
    await page.getByLabel('Find').fill('a b');
    await page.getByLabel('Find').press('Enter');
    assert.equal(page.url(), `${url}/found?q=a+b`);
    await assert.rejects(page.getByRole('link', { name: 'Away' }).click(), /somewhere else/);
  });

  test("the reader fails on actions that browsers can't do", async () => {
    const { page } = await open();
    await assert.rejects(page.getByLabel('Weight').fill('1'), /nobody can type/);
    await assert.rejects(page.getByRole('button', { name: 'Find it' }).click(), /asks for q/);
    await assert.rejects(page.getByLabel('Key').selectOption('C'), /there is no C/);
    await assert.rejects(page.getByText('Only a script').click(), /without scripts/);
    await assert.rejects(page.getByRole('link').click(), /is there 2 times/);
    await assert.rejects(page.getByText('Deep down').click(), /cannot be seen/);
  });

  test('the reader reports fault pages', async () => {
    const watched = await open();
    watched.assertNoFaults();
    await watched.page.goto(`${url}/broken`);
    assert.throws(() => watched.assertNoFaults(), /500/);
  });
});
