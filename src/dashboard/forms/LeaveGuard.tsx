import { Button } from '../parts/Button.tsx';
import { useEffect, useRef } from 'react';
import { useBlocker } from 'react-router';
import { noteUntaken, readConnection, useConnection } from '../connection/connection.ts';
import classes from '../parts/ConfirmDialog.module.css';
import { useUntakenSecret } from '../parts/shown-once.ts';

/**
 * Delays leaving a page. If a secret has not been copied, it shows a confirmation. If the service does not answer, the
 * other page opens as soon as it does. Both are here because the router allows only one blocker at a time.
 */
export function LeaveGuard() {
  const secret = useUntakenSecret();
  const { connection } = useConnection();
  const isLost = connection.kind === 'lost';
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      currentLocation.pathname !== nextLocation.pathname &&
      (secret !== null || readConnection().kind === 'lost'),
  );
  const isAsking = blocker.state === 'blocked' && secret !== null;
  useEffect(() => {
    if (blocker.state !== 'blocked' || secret !== null) return;
    if (!isLost) blocker.proceed();
    else noteUntaken({ title: 'The other page waits', text: 'It opens as soon as it can.' });
  }, [blocker, secret, isLost]);
  return (
    <LeaveQuestion
      secret={isAsking ? secret : null}
      onStay={() => blocker.reset?.()}
      onLeave={() => blocker.proceed?.()}
    />
  );
}

type LeaveQuestionProps = { secret: string | null; onStay: () => void; onLeave: () => void };

function LeaveQuestion({ secret, onStay, onLeave }: LeaveQuestionProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const isOpen = secret !== null;
  useEffect(() => {
    if (isOpen) ref.current?.showModal();
    else ref.current?.close();
  }, [isOpen]);
  return (
    <dialog
      ref={ref}
      className={classes.dialog}
      aria-labelledby="leave-question"
      onCancel={(event) => {
        event.preventDefault();
        onStay();
      }}
    >
      <h2 id="leave-question">Leave without a copy?</h2>
      <p className={classes.consequences}>
        The {secret} is shown this once. Nobody can show it again.
      </p>
      <div className="row end">
        <Button type="button" variant="danger" onClick={onLeave}>
          Leave
        </Button>
        <Button type="button" variant="default" onClick={onStay}>
          Stay
        </Button>
      </div>
    </dialog>
  );
}
