import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import v8 from 'node:v8';
import vm from 'node:vm';
import zlib from 'node:zlib';
import type { BodyNeeds, Exchange } from '#domain/http/exchange';
import { FakeClock } from '#demo/fake-clock';
import { startRawReceiver, type RawConnection } from '#testing/raw-receiver';
import { makeGate } from '#testing/scheduling';
import { threadMs } from '#testing/spent-time';
import { openSender, saysOf } from '#testing/sender';

const MIB = 1024 * 1024;

function answered(exchange: Exchange) {
  assert.equal(exchange.kind, 'answered', JSON.stringify(exchange));
  return exchange;
}

/** Measures the processor time of this thread in each turn of the event loop. */
function watchTurns() {
  const startedMs = threadMs();
  let [lastMs, mostMs] = [startedMs, 0];
  const look = () => {
    const nowMs = threadMs();
    mostMs = Math.max(mostMs, nowMs - lastMs);
    lastMs = nowMs;
  };
  const timer = setInterval(look, 1);
  return () => {
    clearInterval(timer);
    look();
    return { mostMs, allMs: lastMs - startedMs };
  };
}

function answerWith(body: Uint8Array | string, ...headers: string[]): Buffer {
  const bytes = Buffer.from(body);
  const head = ['HTTP/1.1 200 OK', `Content-Length: ${bytes.length}`, ...headers, '', ''].join(
    '\r\n',
  );
  return Buffer.concat([Buffer.from(head), bytes]);
}

/** The result of receiving a response that is sent in one piece, or in pieces of `size` bytes. */
async function receive(answer: Uint8Array, needs: Partial<BodyNeeds> = {}, size = Infinity) {
  await using receiver = await startRawReceiver(async (connection) => {
    await connection.until();
    if (size === Infinity) await connection.send(answer);
    else await connection.drip(answer, { everyMs: 0, size });
    connection.end();
  });
  await using sender = openSender();
  return await sender.get(receiver.url, { needs });
}

test('of a body the first 65,535 bytes are stored and all are counted', async () => {
  for (const length of [0, 65_535, 65_536, 3 * MIB]) {
    const bytes = randomBytes(length);
    const { body } = answered(await receive(answerWith(bytes)));
    assert.deepEqual([body.totalBytes, body.found, body.json], [length, [], null]);
    assert.ok(Buffer.from(body.stored).equals(bytes.subarray(0, 65_535)));
  }
});

test('a body of known length is complete at its last byte, even if the connection ends there', async () => {
  // All permits for brotli decoders are taken, so the next body is paused at its only chunk.
  const packed = answerWith(zlib.brotliCompressSync('ding dong'), 'Content-Encoding: br');
  const gate = makeGate();
  await using stopping = await startRawReceiver(async (connection) => {
    await connection.until();
    await connection.send(packed.subarray(0, -1));
    await gate.opened;
    await connection.send(packed.subarray(-1));
    connection.end();
  });
  await using target = await startRawReceiver(async (connection) => {
    await connection.until();
    const head = packed.indexOf('\r\n\r\n') + 4;
    await connection.send(packed.subarray(0, head));
    for (let turn = 0; turn < 20; turn++) await nextTurn();
    await connection.send(packed.subarray(head));
    for (let turn = 0; turn < 20; turn++) await nextTurn();
    connection.end();
    for (let turn = 0; turn < 50; turn++) await nextTurn();
    gate.open();
  });
  await using sender = openSender({ clock: new FakeClock('2026-01-01T00:00:00Z') });
  const unanswered = Array.from({ length: 6 }, () => sender.get(stopping.url));
  await stopping.waitFor(6);
  for (let turn = 0; turn < 50; turn++) await nextTurn();
  const { body } = answered(await sender.get(target.url));
  assert.equal(String(body.stored), 'ding dong');
  for (const each of unanswered)
    assert.equal(String(answered(await each).body.stored), 'ding dong');
});

describe('assertions on a body', () => {
  test('a text is found across chunks and far behind the stored part', async () => {
    const bytes = Buffer.alloc(2 * MIB, 'x');
    bytes.write('needle', bytes.length - 6);
    const { body } = answered(
      await receive(answerWith(bytes), { searchFor: ['needle', 'Needle', 'x'] }),
    );
    assert.deepEqual(body.found, [true, false, true]);
    const dripped = answered(
      await receive(answerWith('a nee dle needle'), { searchFor: ['needle'] }, 2),
    );
    assert.deepEqual(dripped.body.found, [true]);
  });

  test('a path is followed through the whole body', async () => {
    const text = `\ufeff{"a":"${'é'.repeat(100_000)}","b":[1]}`;
    const { body } = answered(await receive(answerWith(text), { paths: [['b'], ['c']] }));
    assert.deepEqual(body.json, {
      values: [{ kind: 'found', text: '[1]' }, { kind: 'missing' }],
    });
    assert.deepEqual([body.stored.length, body.totalBytes], [65_535, Buffer.byteLength(text)]);
  });

  test('following paths in a large response does not block the event loop', async () => {
    const text = JSON.stringify({ rows: Array.from({ length: 900_000 }, (_, id) => ({ id })) });
    const paths = Array.from({ length: 20 }, (_, n) => ['rows', n * 40_000, 'id']);
    await using receiver = await startRawReceiver(answerWith(text));
    await using sender = openSender();
    const stopWatch = watchTurns();
    const { body } = answered(await sender.get(receiver.url, { needs: { paths } }));
    const { mostMs, allMs } = stopWatch();
    const values = paths.map(([, n]) => ({ kind: 'found', text: String(n) }));
    assert.deepEqual(body.json, { values });
    // JSON.parse would do nearly all of the work in one turn.
    assert.ok(mostMs < allMs / 4, `${mostMs} of ${allMs} ms`);
  });
});

describe('encoded bodies', () => {
  const text = JSON.stringify({ words: 'some words '.repeat(20_000), end: 'needle' });
  const encodings: [name: string, header: string, bytes: Buffer][] = [
    ['gzip', 'gzip', zlib.gzipSync(text)],
    ['gzip under its old name', 'X-GZIP', zlib.gzipSync(text)],
    ['deflate', 'deflate', zlib.deflateSync(text)],
    ['deflate without its header', 'Deflate', zlib.deflateRawSync(text)],
    ['br', 'br', zlib.brotliCompressSync(text)],
  ];
  for (const [name, header, bytes] of encodings) {
    test(`${name} is decoded, at once and a few bytes at a time`, async () => {
      for (const size of [Infinity, 7]) {
        const answer = answerWith(bytes, `Content-Encoding: ${header}`);
        const { body } = answered(
          await receive(answer, { paths: [['end']], searchFor: ['needle'] }, size),
        );
        assert.deepEqual(body.json, { values: [{ kind: 'found', text: '"needle"' }] });
        assert.equal(String(body.stored), text.slice(0, 65_535));
        assert.deepEqual([body.totalBytes, body.found], [text.length, [true]]);
      }
    });
  }

  const encoders = { gzip: zlib.gzipSync, deflate: zlib.deflateSync, br: zlib.brotliCompressSync };
  for (const [coding, encode] of Object.entries(encoders)) {
    test(`a body that is not ${coding}, or is cut, is a fault that keeps the status; an empty one is none`, async () => {
      const header = `Content-Encoding: ${coding}`;
      assert.equal(answered(await receive(answerWith('', header))).body.totalBytes, 0);
      for (const bytes of [Buffer.alloc(50, 0xff), encode(text).subarray(0, -9)]) {
        const exchange = await receive(answerWith(bytes, header), { searchFor: ['missing'] });
        assert.ok(exchange.kind === 'broken', exchange.kind);
        assert.equal(saysOf(exchange), `response body is not valid ${coding}`);
        assert.equal(exchange.status, 200);
      }
    });
  }

  test('a body with an unknown encoding is stored undecoded', async () => {
    for (const header of ['zstd', 'identity', 'gzip, br', '']) {
      const { body } = answered(await receive(answerWith('raw', `Content-Encoding: ${header}`)));
      assert.equal(String(body.stored), 'raw', header);
    }
  });

  test('a connection is used again after an encoded body', async () => {
    await using receiver = await startRawReceiver(async (connection) => {
      for (;;) {
        await connection.untilBytes(connection.received.length + 1);
        await connection.send(answerWith(zlib.gzipSync('body'), 'Content-Encoding: gzip'));
      }
    });
    await using sender = openSender();
    for (let n = 0; n < 3; n++) {
      assert.equal(String(answered(await sender.get(receiver.url)).body.stored), 'body');
    }
    assert.equal(receiver.connections.length, 1);
  });
});

describe('bodies without measure', () => {
  /** The most bytes in buffers that are in use, garbage not counted, while `run` is running. */
  async function mostInUse(run: () => Promise<unknown>): Promise<number> {
    v8.setFlagsFromString('--expose-gc');
    const collectGarbage = vm.runInNewContext('gc') as () => void;
    let most = 0;
    const watch = setInterval(() => {
      collectGarbage();
      most = Math.max(most, process.memoryUsage().arrayBuffers);
    }, 100);
    await run();
    clearInterval(watch);
    return most;
  }

  async function exchangeMany(url: string, count: number, needs: Partial<BodyNeeds>) {
    await using sender = openSender();
    const sent = Array.from({ length: count }, () => sender.get(url, { needs, timeoutSeconds: 2 }));
    return (await Promise.all(sent)).map(({ kind }) => kind);
  }

  /**
   * Sends a start, and then the same bytes again and again for as long as the other side takes them: altogether many times what memory may
   * grow by.
   */
  async function pour(connection: RawConnection, start: string, bytes: Buffer): Promise<void> {
    await connection.until();
    await connection.send(`HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n${start}`);
    const state = { isOpen: true };
    void connection.closed.then(() => (state.isOpen = false));
    while (state.isOpen) {
      await connection.send(bytes);
      // Without a pause, two hundred endless answers would keep every core busy.
      await delay(40);
    }
  }

  test('two hundred endless answers end by their timeout, and at most 400 KiB of each is in memory', async () => {
    const bytes = Buffer.alloc(64 * 1024, 'x');
    await using receiver = await startRawReceiver((connection) =>
      pour(connection, '{"a":"', bytes),
    );
    const kinds: string[] = [];
    const needs = { searchFor: ['never'], paths: [['a']] };
    const most = await mostInUse(async () => {
      kinds.push(...(await exchangeMany(receiver.url, 200, needs)));
    });
    assert.deepEqual(kinds, Array<string>(200).fill('timed-out'));
    assert.ok(most < 200 * 400 * 1024, `${Math.round(most / MIB)} MiB`);
  });

  for (const [coding, bomb] of [
    ['gzip', zlib.gzipSync(Buffer.alloc(200 * MIB, ' '), { level: 1 })],
    [
      'br',
      zlib.brotliCompressSync(Buffer.alloc(200 * MIB, ' '), {
        params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 },
      }),
    ],
  ] as const) {
    test(`fifty bombs of ${coding} do not fill memory, searched or not`, async () => {
      await using receiver = await startRawReceiver(
        answerWith(bomb, `Content-Encoding: ${coding}`),
      );
      const most = await mostInUse(async () => {
        await exchangeMany(receiver.url, 25, {});
        await exchangeMany(receiver.url, 25, { paths: [['a']], searchFor: ['never'] });
      });
      // Less than a single bomb unfolds to, for fifty of them.
      assert.ok(most < 200 * MIB, `${Math.round(most / MIB)} MiB in use`);
    });
  }

  test('decompression stops once no assertion needs more of the body', async () => {
    const bomb = zlib.gzipSync(Buffer.alloc(50 * MIB), { level: 1 });
    const { body } = answered(await receive(answerWith(bomb, 'Content-Encoding: gzip')));
    assert.equal(body.stored.length, 65_535);
    assert.ok(body.totalBytes < MIB);
  });
});
