import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Peers } from './peers.ts';

const LEASE_MS = 15_000;
const LOOK_MS = 3_000;

/**
 * Calls `findDead` every three seconds from `fromMs` to `toMs`, with beats by node. Returns which ids were found
 * dead, and when.
 */
function look(
  peers: Peers,
  { fromMs = 0, toMs }: { fromMs?: number; toMs: number },
  beatsAt: (ms: number) => Record<string, number>,
): [string, number][] {
  const dead: [string, number][] = [];
  for (let ms = fromMs; ms <= toMs; ms += LOOK_MS) {
    const others = Object.entries(beatsAt(ms)).map(([id, beat]) => ({ id, beat, isGone: false }));
    for (const { id } of peers.findDead(others, ms, ms + 10)) dead.push([id, ms]);
  }
  return dead;
}

describe('which other nodes are dead', () => {
  test('a node is dead if its beat did not change for a lease, whatever its value', () => {
    const dead = look(new Peers(LEASE_MS), { toMs: 60_000 }, (ms) => ({
      stopped: 7,
      slow: Math.floor(ms / 12_000),
      steps: ms % 2 === 0 ? -3_600_000 - ms : 3_600_000 + ms,
    }));
    assert.deepEqual(dead[0], ['stopped', 18_000]);
    assert.ok(dead.every(([id]) => id === 'stopped'));
  });

  test('a node that is gone is dead at the first look', () => {
    const gone = { id: 'earlier', beat: 1, isGone: true };
    const others = [gone, { id: 'other', beat: 1, isGone: false }];
    assert.deepEqual(new Peers(LEASE_MS).findDead(others, 0, 10), [gone]);
  });

  test('a failed or missed check restarts the lease', () => {
    const peers = new Peers(LEASE_MS);
    const stopped = () => ({ stopped: 7 });
    assert.deepEqual(look(peers, { toMs: 12_000 }, stopped), []);
    peers.loseContact();
    assert.deepEqual(look(peers, { fromMs: 15_000, toMs: 30_000 }, stopped), []);
    const afterPause = look(peers, { fromMs: 90_000, toMs: 108_000 }, stopped);
    assert.deepEqual(afterPause, [['stopped', 108_000]]);
  });

  test('an answer that came after a long standstill is not taken for contact', () => {
    const peers = new Peers(LEASE_MS);
    const others = [{ id: 'frozen-too', beat: 1, isGone: false }];
    assert.deepEqual(peers.findDead(others, 0, 10), []);
    assert.deepEqual(peers.findDead(others, 3_000, 63_000), []);
    assert.deepEqual(peers.findDead(others, 63_001, 63_010), []);
  });
});
