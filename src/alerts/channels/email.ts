import { escapeHtml } from '#domain/base/escape-html';
import { cut } from '#domain/base/text-length';
import type { Message } from './message.ts';

const SUBJECT_CHARACTERS = 200;
const TEST_SUBJECT = 'Test: alerts will arrive here';

const COLORS: Record<Message['level'], string> = {
  warning: '#8a6100',
  failure: '#b3261e',
  recovery: '#1b6b2f',
  test: '#455a64',
};

const WHY = 'A team on Belfry sends its alerts to this address. You confirmed it.';
const STOP = 'Stop these mails';

/** @param stopUrl for recipients that aren't members */
export function formatMail(message: Message, stopUrl?: string) {
  // Without the team's name, so that a recipient doesn't first read a text that someone else chose.
  const subject = message.level === 'test' ? TEST_SUBJECT : cut(message.title, SUBJECT_CHARACTERS);
  return { subject, text: formatText(message, stopUrl), html: formatHtml(message, stopUrl) };
}

function formatText(
  { title, facts, excerpt, link, runbook }: Message,
  stopUrl: string | undefined,
): string {
  const lines = [title, '', ...facts.map(({ label, value }) => `${label}: ${value}`), ''];
  if (excerpt !== null) lines.push('The response began:', '', excerpt, '');
  if (runbook !== null) lines.push(`${runbook.label}: ${runbook.url}`);
  lines.push(`${link.label}: ${link.url}`, '');
  if (stopUrl !== undefined) lines.push(WHY, `${STOP}: ${stopUrl}`, '');
  return lines.join('\n');
}

function formatHtml(
  { level, title, facts, excerpt, link, runbook }: Message,
  stopUrl: string | undefined,
): string {
  const rows = facts.map(
    ({ label, value }) =>
      `<tr><td style="padding:2px 16px 2px 0;color:#555">${escapeHtml(label)}</td><td>${escapeHtml(value)}</td></tr>`,
  );
  const response =
    excerpt === null
      ? ''
      : `<p>The response began:</p><pre style="padding:8px;background:#f3f3f3;white-space:pre-wrap">${escapeHtml(excerpt)}</pre>`;
  return [
    '<!doctype html><html lang="en"><body style="font-family:sans-serif;font-size:15px;color:#222">',
    `<h1 style="font-size:18px;color:${COLORS[level]}">${escapeHtml(title)}</h1>`,
    `<table style="border-collapse:collapse;font-size:15px">${rows.join('')}</table>`,
    response,
    ...[...(runbook === null ? [] : [runbook]), link].map(
      ({ label, url }) => `<p><a href="${escapeHtml(url)}">${escapeHtml(label)}</a></p>`,
    ),
    ...(stopUrl === undefined
      ? []
      : [
          `<p style="font-size:13px;color:#555">${WHY} <a href="${escapeHtml(stopUrl)}">${STOP}</a></p>`,
        ]),
    '</body></html>',
  ].join('\n');
}
