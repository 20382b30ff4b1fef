import { countOf } from '#domain/base/amounts';
import type { AlertLevel } from '#domain/alerts/alert-streak';
import type { Message } from './channels/message.ts';

/** A chat message has few fields. */
const MOST_NAMED = 8;

const LEVELS: readonly [level: AlertLevel, one: string, several: string][] = [
  ['failure', 'failure', 'failures'],
  ['warning', 'warning', 'warnings'],
  ['recovery', 'recovery', 'recoveries'],
];

/** The number of alerts per level, the first titles, and a link. */
export function writeDigest(parts: readonly [Message, ...Message[]], baseUrl: string): Message {
  const [{ teamId, teamName }] = parts;
  const counts = LEVELS.map(([level, one, several]) => {
    const count = countAlerts(parts.filter((part) => part.level === level));
    return { level, count, words: countOf(count, one, several) };
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
    title: `${countOf(countAlerts(parts), 'alert')}: ${counts.map(({ words }) => words).join(', ')}`,
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

function countAlerts(parts: readonly Message[]): number {
  return parts.reduce((sum, { details }) => sum + (details?.alertCount ?? 1), 0);
}
