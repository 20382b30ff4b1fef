import { DEFAULT_REF } from '#domain/alerts/alert-settings';
import { describeEvent, isAside, isWatchKind } from '#domain/alerts/alert-words';
import {
  type AddressState,
  type ChannelConfig,
  type ChannelField,
  fieldsOfKind,
  valueOf,
} from '#domain/alerts/notification-channel';
import { describeUsage } from '#domain/team/usage';
import type { Values } from '../forms/values.ts';
import { describeOutcome } from '../runs/reasons.ts';
import type {
  Alert,
  ChannelChoice,
  ChannelView,
  ListedChannel,
  ShownAddress,
  StoredAlert,
} from '../services.ts';
import { countOf, NOTHING } from '../words/amounts.ts';

/** `“Nightly” failed 2 times in a row` */
export function describeAlert(alert: Alert): string {
  if (alert.level === 'usage')
    return alert.mark === 100
      ? 'The monthly limit is reached'
      : `${alert.mark} % of the monthly limit is used`;
  const { level, source, kind } = alert;
  if (source.kind === 'queue' && kind === null) {
    return level === 'failure'
      ? `A job of “${source.name}” was dead-lettered`
      : `A job of “${source.name}” failed at its first attempt`;
  }
  return `“${source.name}” ${describeEvent(alert)}`;
}

export function describeCause(alert: Alert): string {
  if (alert.level === 'usage') return describeUsage({ ...alert, limit: alert.monthlyLimit });
  const { errorMessage, mutedBy, level, delivery, kind } = alert;
  const outcome = isWatchKind(kind) ? null : describeOutcome(alert);
  const showsReason = level !== 'recovery' || isAside(kind);
  const isRepeated = outcome !== null && errorMessage?.startsWith(outcome) === true;
  const says = showsReason && !isRepeated;
  return [
    outcome === NOTHING ? null : outcome,
    says ? errorMessage : null,
    mutedBy === null
      ? null
      : `muted by “${mutedBy}”${delivery === 'muted' ? '' : ' until it ended'}`,
  ]
    .filter((part) => part !== null)
    .join(' · ');
}

/** A usage alert leads to the page with the usage. */
export function pathOfRun(alert: Alert): string {
  if (alert.level === 'usage') return '/';
  const { source, runId } = alert;
  if (runId === null) return pathOfSource(source);
  return source.kind === 'cron' ? `/executions/${runId}` : `/jobs/${runId}`;
}

export function pathOfSource({ kind, id }: StoredAlert['source']): string {
  return kind === 'cron' ? `/crons/${id}` : `/queues/${id}`;
}

export function nameOfChannel({ name }: Pick<ListedChannel, 'name'>): string {
  return name ?? 'Default channel';
}

/** The default replaces a deleted channel, as in alerts. */
export function presentRefs(
  refs: readonly string[],
  choices: readonly ChannelChoice[],
): readonly string[] {
  const present = new Set(choices.map(({ id }) => id));
  return [...new Set(refs.map((id) => (present.has(id) ? id : DEFAULT_REF)))];
}

/** A failure at the same time as a success counts as later. */
export function isFailing({ lastErrorAt, lastSentAt }: ChannelView): boolean {
  return lastErrorAt !== null && (lastSentAt === null || lastSentAt <= lastErrorAt);
}

/** Errors may be phrases, and other text may follow. */
export function asSentence(error: string): string {
  return error.endsWith('.') ? error : `${error}.`;
}

/** `3 addresses, 1 waiting for confirmation` */
export function describeAddresses(addresses: readonly Pick<ShownAddress, 'state'>[]): string {
  const countOfState = (state: AddressState) =>
    addresses.filter((each) => each.state === state).length;
  const [waiting, stopped] = [countOfState('waiting'), countOfState('stopped')];
  return [
    countOf(addresses.length, 'address', 'addresses'),
    ...(waiting > 0 ? [`${waiting} waiting for confirmation`] : []),
    ...(stopped > 0 ? [`${stopped} stopped`] : []),
  ].join(', ');
}

export function inputName(kind: ChannelConfig['kind'], field: Pick<ChannelField, 'name'>): string {
  return `${kind}_${field.name}`;
}

/** A secret field that is left empty keeps its secret. */
export function valuesOfChannel(config: ChannelConfig): Values {
  const { kind } = config;
  const shown = fieldsOfKind(kind).filter(({ isSecret }) => !isSecret);
  const values = shown.map((field) => [inputName(kind, field), valueOf(config, field) ?? '']);
  return { kind, ...(Object.fromEntries(values) as Values) };
}
