import { Form, useFormAnswer } from '../forms/Form.tsx';
import { Submit } from '../parts/Button.tsx';
import { ConfirmDialog } from '../parts/Popover.tsx';
import { Notice } from '../parts/Notice.tsx';
import { Status } from '../parts/Status.tsx';
import { Time } from '../parts/Time.tsx';
import type { ShownAddress } from '../services.ts';
import classes from './Alerts.module.css';

export function ChannelAddresses({ addresses }: { addresses: readonly ShownAddress[] }) {
  const { intent, problem } = useFormAnswer();
  const isOwn = intent === 'resend' || intent === 'remove';
  return (
    <>
      {isOwn && problem ? <Notice kind="failed">{problem}</Notice> : null}
      <ul className={classes.addresses} aria-label="Recipients">
        {addresses.map(({ id, email, state, ...times }) => (
          <li key={id}>
            <span className="two">
              <span>{email}</span>
              <AddressState state={state} {...times} />
            </span>
            <span className="row">
              {state === 'waiting' ? (
                <Form fields={{ address: id }}>
                  <Submit intent="resend" size="small">
                    Resend link
                  </Submit>
                </Form>
              ) : null}
              {/* A channel keeps at least one address. */}
              {addresses.length === 1 ? null : (
                <ConfirmDialog
                  word="Remove"
                  question={`Remove ${email}?`}
                  fields={{ intent: 'remove', address: id }}
                  isSmall
                >
                  The address gets no more alerts. If you add it again, it has to be confirmed
                  again.
                </ConfirmDialog>
              )}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

type StateProps = Pick<ShownAddress, 'state' | 'askedAt' | 'stoppedAt'>;

const states = {
  confirmed: { name: 'success', word: 'Confirmed' },
  stopped: { name: 'paused', word: 'Stopped by the recipient' },
  waiting: { name: 'pending', word: 'Waiting for confirmation' },
} as const;

function AddressState({ state, askedAt, stoppedAt }: StateProps) {
  const isNew = state === 'waiting' && askedAt === null;
  const at = { confirmed: null, stopped: stoppedAt, waiting: askedAt }[state];
  return (
    <span className={classes.state}>
      <Status {...states[state]} />
      {isNew ? <span className="muted">no link was mailed yet</span> : null}
      {at === null ? null : (
        <span className="muted">
          {state === 'waiting' ? 'link mailed ' : null}
          <Time at={at} />
        </span>
      )}
    </span>
  );
}
