import type { QueueHealth } from '#domain/queue-health';
import { Status, type StatusName } from '../parts/Status.tsx';

const looks: Readonly<Record<QueueHealth, { name: StatusName; word: string }>> = {
  idle: { name: 'idle', word: 'Idle' },
  active: { name: 'active', word: 'Active' },
  'at its limit': { name: 'processing', word: 'At its limit' },
  backlogged: { name: 'warning', word: 'Backlogged' },
  paused: { name: 'paused', word: 'Paused' },
};

export function QueueHealthWord({ health }: { health: QueueHealth }) {
  return <Status {...looks[health]} />;
}
