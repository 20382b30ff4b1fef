import type { ReactNode } from 'react';
import { isMailedKind, nameOfKind } from '#domain/alerts/notification-channel';
import { DefinitionList } from '../parts/DefinitionList.tsx';
import { Notice } from '../parts/Notice.tsx';
import { Time } from '../parts/Time.tsx';
import { countOf } from '../words/amounts.ts';
import type { ChannelView } from '../services.ts';
import { ChannelAddresses } from './ChannelAddresses.tsx';
import { asSentence, isFailing } from './alert-words.ts';

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
          ...shown.map(({ label, text }) => [label, <code key={label}>{text}</code>] as const),
          [
            'Collects notifications',
            collectMinutes === null ? null : `for ${countOf(collectMinutes, 'minute', 'minutes')}`,
          ],
          ['Last sent', <Time key="sent" at={lastSentAt} />],
          [
            'Last error',
            lastErrorAt === null || isFailing(channel) ? null : (
              <span key="error">
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
