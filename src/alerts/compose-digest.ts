import type { AlertLevel } from '#domain/alert-streak';
import type { Message } from './channels/message.ts';

/** So many are named: a message of a chat holds few fields. Of the others it is said how many they are. */
const MOST_NAMED = 8;

const LEVELS: readonly [level: AlertLevel, one: string, several: string][] = [
  ['failure', 'failure', 'failures'],
  ['warning', 'warning', 'warnings'],
  ['recovery', 'recovery', 'recoveries'],
];

/** Several messages as one: how many of which level, the first of them by their titles, and where all of them are. */
export function writeDigest(parts: readonly [Message, ...Message[]], baseUrl: string): Message {
  const [{ teamId, teamName }] = parts;
  const counts = LEVELS.map(([level, one, several]) => {
    const count = countOf(parts.filter((part) => part.level === level));
    return { level, count, words: `${count} ${count === 1 ? one : several}` };
  }).filter(({ count }) => count > 0);
  const more = parts.length - MOST_NAMED;
  const named = parts.slice(0, MOST_NAMED).map(({ title }) => {
    const [, level = 'Alert', what = title] = /^(\w+): (.*)$/s.exec(title) ?? [];
    return { label: level, value: what };
  });
  return {
    level: counts[0]?.level ?? 'failure',
    teamId,
    teamName,
    title: `${countOf(parts)} alerts: ${counts.map(({ words }) => words).join(', ')}`,
    facts: [
      ...named,
      ...(more > 0 ? [{ label: 'And', value: `${more} more` }] : []),
      { label: 'Team', value: teamName },
    ],
    excerpt: null,
    link: { label: 'Open the alerts', url: `${baseUrl}/alerts` },
    runbook: null,
    details: null,
    parts,
  };
}

function countOf(parts: readonly Message[]): number {
  return parts.reduce((sum, { details }) => sum + (details?.alertCount ?? 1), 0);
}
