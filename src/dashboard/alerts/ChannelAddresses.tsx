import { Form, useFormAnswer } from '../forms/Form.tsx';
import { Submit } from '../parts/Button.tsx';
import { ConfirmDialog } from '../parts/Popover.tsx';
import { Notice } from '../parts/Notice.tsx';
import { Status } from '../parts/Status.tsx';
import { Time } from '../parts/Time.tsx';
import type { ShownAddress } from '../services.ts';
import classes from './Alerts.module.css';

/** Of a channel of the kind `email-addresses`, with their states. */
export function ChannelAddresses({ addresses }: { addresses: readonly ShownAddress[] }) {
  const { intent, problem } = useFormAnswer();
  const isOwn = intent === 'resend' || intent === 'remove';
  return (
    <>
      {isOwn && problem ? <Notice kind="failed">{problem}</Notice> : null}
      <ul className={classes.addresses} aria-label="Recipients">
        {addresses.map((address) => (
          <li key={address.id}>
            <span className="two">
              <span>{address.email}</span>
              <AddressState address={address} />
            </span>
            <AddressActions address={address} isLast={addresses.length === 1} />
          </li>
        ))}
      </ul>
    </>
  );
}

function AddressState({ address: { state, askedAt, stoppedAt } }: { address: ShownAddress }) {
  switch (state) {
    case 'confirmed':
      return <Status name="success" word="Confirmed" />;
    case 'stopped':
      return (
        <span className={classes.state}>
          <Status name="paused" word="Stopped by the recipient" />
          <span className="muted">
            <Time at={stoppedAt} />
          </span>
        </span>
      );
    case 'waiting':
      return (
        <span className={classes.state}>
          <Status name="pending" word="Waiting for confirmation" />
          <span className="muted">
            {askedAt === null ? (
              'no link was mailed yet'
            ) : (
              <>
                link mailed <Time at={askedAt} />
              </>
            )}
          </span>
        </span>
      );
  }
}

/** A channel keeps at least one address. */
function AddressActions({
  address: { id, email, state },
  isLast,
}: {
  address: ShownAddress;
  isLast: boolean;
}) {
  return (
    <span className="row">
      {state === 'waiting' ? (
        <Form fields={{ address: id }}>
          <Submit intent="resend" size="small">
            Resend link
          </Submit>
        </Form>
      ) : null}
      {isLast ? null : (
        <ConfirmDialog
          word="Remove"
          question={`Remove ${email}?`}
          fields={{ intent: 'remove', address: id }}
          isSmall
        >
          No more alerts go there. If you add it again, it has to be confirmed again.
        </ConfirmDialog>
      )}
    </span>
  );
}
