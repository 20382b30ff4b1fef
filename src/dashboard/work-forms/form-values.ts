import { ALERT_LEVELS, type AlertSettings, NO_ALERT_SETTINGS } from '#domain/alerts/alert-settings';
import { type Assertion, textsOfAssertion } from '#domain/judging/assertion';
import type { HeaderList } from '#domain/http/exchange';
import { DEFAULT_QUEUE_SETTINGS, type QueueSettings } from '#domain/team/queue-settings';
import type { IsSecretHeader } from '#domain/http/secret-headers';
import { isLongerThan } from '#domain/base/text-length';
import type { Cron } from '#work/crons';
import { channelsField } from '#work/resources/alerts';
import { CRON } from '#work/resources/cron';
import { QUEUE } from '#work/resources/queue';
import { initialOf, writeTexts } from '#work/resources/resource';
import { textIn, type Values } from '../forms/values.ts';
import type { JobDraft } from '../services.ts';
import { MASK, type Mask } from '#domain/runs/masking';
import type { JobDetail } from '#work/jobs';
import { writeHeaders } from './header-lines.ts';
import type { Stored } from './read-forms.ts';

function valuesOfLists(assertions: readonly Assertion[], { channels }: AlertSettings): Values {
  const texts = assertions.map(textsOfAssertion);
  const refs = ALERT_LEVELS.map((level) => [channelsField(level), channels[level]]);
  return {
    ...(Object.fromEntries(refs) as Values),
    assertion_kind: assertions.map(({ kind }) => kind),
    assertion_path: texts.map(({ path }) => path),
    assertion_value: texts.map(({ value }) => value),
  };
}

/** An unticked box sends nothing. */
export const channelsShown = 'channels_shown';

export const newCron: Values = {
  ...writeTexts(CRON, {
    ...initialOf(CRON),
    name: '',
    url: '',
    cronExpression: '',
    // In the API, alerts are off by default (§2.1); in the form, people see that they are on.
    alertThreshold: 1,
  }),
  ...valuesOfLists([], NO_ALERT_SETTINGS),
};

/** @param isMasked replaces values by the mask (§5.9) */
export function valuesOfCron(cron: Cron, isMasked: IsSecretHeader): Values {
  const headers: HeaderList = cron.headers.map(([name, value]) => [
    name,
    isMasked(name) ? MASK : value,
  ]);
  const texts = writeTexts(CRON, { ...cron, headers });
  return { ...texts, ...valuesOfLists(cron.assertions, cron.alertSettings) };
}

export function storedCron(cron: Cron, mask: Mask): Stored {
  return { headers: cron.headers, texts: writeTexts(CRON, cron), mask };
}

export function storedJob({ headers, url, payload, callbackUrl }: JobDetail, mask: Mask): Stored {
  return { headers, texts: { url, payload: payload ?? '', callback_url: callbackUrl ?? '' }, mask };
}

export function valuesOfQueue(queue: QueueSettings): Values {
  return {
    ...writeTexts(QUEUE, queue),
    ...valuesOfLists(queue.assertions, queue.alertSettings),
  };
}

export const newQueue = valuesOfQueue(DEFAULT_QUEUE_SETTINGS);

/** @param draft null values become the mask */
export function valuesOfDraft(draft: JobDraft): Values {
  return {
    queue: draft.queue,
    url: draft.url,
    method: draft.method,
    headers: writeHeaders(draft.headers.map(({ name, value }) => [name, value ?? MASK])),
    payload: draft.payload,
    callback_url: draft.callbackUrl,
    delay: '0',
  };
}

const MOST_SHOWN = 200;
/** A longer one is refused later. */
const MOST_TAKEN = 4_096;

/** A link can set the URL, so the form shows where it comes from. */
export function takeLinkedUrl(values: Values, search: URLSearchParams) {
  const given = search.get('url')?.slice(0, MOST_TAKEN);
  const stored = textIn(values, 'url') ?? '';
  if (!given || given === stored) return { values, urlNote: undefined };
  const shown = isLongerThan(stored, MOST_SHOWN) ? `${stored.slice(0, MOST_SHOWN)}…` : stored;
  const before = stored === '' ? '' : ` The stored URL is ${shown}.`;
  return {
    values: { ...values, url: given },
    urlNote: `This URL comes from the link that you opened.${before} Check it: the headers and the payload are sent to it.`,
  };
}
