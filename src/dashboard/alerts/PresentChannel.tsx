import type { ReactNode } from 'react';
import { isMailedKind, nameOfKind } from '#domain/alerts/notification-channel';
import classes from './Alerts.module.css';
import { asSentence, isFailing } from './alert-words.ts';
import { ActionButton, useFormAnswer } from '../forms/Form.tsx';
import { DefinitionList } from '../parts/DefinitionList.tsx';
import { Notice } from '../parts/Notice.tsx';
import { Status } from '../parts/Status.tsx';
import { Time } from '../parts/Time.tsx';
import type { ChannelView, ShownAddress } from '../services.ts';
import { countOf } from '../words/amounts.ts';

/** As far as it may be shown. */
export function PresentChannel({
  channel,
  memberCount,
  sendsMail,
}: {
  channel: ChannelView;
  memberCount: number;
  /** False: mails are only logged. */
  sendsMail: boolean;
}) {
  const { kind, shown, addresses, collectMinutes, lastSentAt, lastError, lastErrorAt } = channel;
  return (
    <>
      <ChannelTrouble channel={channel} />
      {isMailedKind(kind) && !sendsMail ? <NoMailServer /> : null}
      <DefinitionList
        entries={[
          ['Channel', nameOfKind(kind)],
          ['Goes to', kind === 'email' ? describeMembers(memberCount) : null],
          ...shown.map(({ label, text }) => [label, <code>{text}</code>] as const),
          [
            'Collects notifications',
            collectMinutes === null ? null : `for ${countOf(collectMinutes, 'minute', 'minutes')}`,
          ],
          ['Last sent', <Time at={lastSentAt} />],
          [
            'Last error',
            lastErrorAt === null || isFailing(channel) ? null : (
              <span>
                <Time at={lastErrorAt} />: {lastError}
              </span>
            ),
          ],
        ]}
      />
      {addresses.length > 0 ? <ChannelAddresses addresses={addresses} /> : null}
    </>
  );
}

type ChannelTroubleProps = { channel: ChannelView; by?: string; children?: ReactNode };

/** Nothing if the last notification was sent. */
export function ChannelTrouble({ channel, by, children }: ChannelTroubleProps) {
  if (!isFailing(channel)) return null;
  return (
    <Notice
      kind="failed"
      title={`The last notification${by ? ` by ${by}` : ''} could not be sent.`}
    >
      {asSentence(channel.lastError ?? '')} It failed <Time at={channel.lastErrorAt} />. Belfry
      retries a notification for an hour. {children}
    </Notice>
  );
}

export function NoMailServer() {
  return (
    <Notice kind="warning" title="No mail server is set up.">
      Email notifications are only written to the service log. Ask the operator of Belfry to set up
      a mail server.
    </Notice>
  );
}

export function describeMembers(count: number): string {
  return count === 1 ? 'the one member' : `all ${countOf(count, 'member', 'members')}`;
}

function ChannelAddresses({ addresses }: { addresses: readonly ShownAddress[] }) {
  const { intent, problem } = useFormAnswer();
  return (
    <>
      {intent === 'resend' && problem ? <Notice kind="failed">{problem}</Notice> : null}
      <ul className={classes.addresses} aria-label="Recipients">
        {addresses.map(({ id, email, state, askedAt, stoppedAt }) => (
          <li key={id}>
            <span className="two">
              <span>{email}</span>
              <span className={classes.state}>
                <Status {...states[state]} />
                {state === 'confirmed' ? null : (
                  <span className="muted">
                    {state === 'stopped' ? <Time at={stoppedAt} /> : <LinkMailed at={askedAt} />}
                  </span>
                )}
              </span>
            </span>
            {state === 'waiting' ? (
              <ActionButton fields={{ address: id }} intent="resend" size="small">
                Resend link
              </ActionButton>
            ) : null}
          </li>
        ))}
      </ul>
    </>
  );
}

function LinkMailed({ at }: { at: number | null }) {
  if (at === null) return 'no link was mailed yet';
  return (
    <>
      link mailed <Time at={at} />
    </>
  );
}

const states = {
  confirmed: { name: 'success', word: 'Confirmed' },
  stopped: { name: 'paused', word: 'Stopped by the recipient' },
  waiting: { name: 'pending', word: 'Waiting for confirmation' },
} as const;
