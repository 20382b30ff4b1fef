import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { BUSY, nullIfBusy, showRefusalsAsPages } from './refusals.ts';
import type { Services } from '../services.ts';

class Room {
  #answer = 'told';
  async tell(word: string) {
    return `${word} ${this.#answer}`;
  }
  async refuse() {
    throw Object.assign(new Error('member may not'), { code: 'NOT_ALLOWED' });
  }
  async lose() {
    throw Object.assign(new Error('connection lost'), { code: 'STORE_UNAVAILABLE' });
  }
  async crowd() {
    throw Object.assign(new Error('3 searches are under way'), { code: 'STORE_BUSY' });
  }
  /** Returns the same room for somebody. */
  as() {
    return { tell: (word: string) => this.tell(word), crowd: () => this.crowd() };
  }
  async fail() {
    throw new Error('disk full');
  }
}

const rooms = showRefusalsAsPages({ people: new Room() } as unknown as Services) as unknown as {
  people: Room;
};

describe('services as pages see them', () => {
  test('answer as ever, private state included', async () => {
    assert.equal(await rooms.people.tell('well'), 'well told');
  });
  test('a role that no longer suffices becomes the 403 page', async () => {
    await assert.rejects(
      rooms.people.refuse(),
      (thrown: { init?: ResponseInit }) => thrown.init?.status === 403,
    );
  });
  test('so it is with a room that a call gives', async () => {
    const room = rooms.people.as();
    assert.equal(await room.tell('well'), 'well told');
    await assert.rejects(
      room.crowd(),
      (thrown: { init?: ResponseInit }) => thrown.init?.status === 503,
    );
  });
  test('a database that is away becomes the 503 page', async () => {
    await assert.rejects(
      rooms.people.lose(),
      (thrown: { init?: ResponseInit }) => thrown.init?.status === 503,
    );
  });
  test('too many searches become the 503 page that says so, and what a page can do without is left out', async () => {
    await assert.rejects(
      rooms.people.crowd(),
      (thrown: { data: unknown; init?: ResponseInit }) =>
        thrown.init?.status === 503 && thrown.data === BUSY,
    );
    assert.equal(await rooms.people.crowd().catch(nullIfBusy), null);
    await assert.rejects(rooms.people.lose().catch(nullIfBusy));
  });
  test('a fault stays a fault', async () => {
    await assert.rejects(rooms.people.fail(), { message: 'disk full' });
  });
});
