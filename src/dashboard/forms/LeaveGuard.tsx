import { useEffect } from 'react';
import { useBlocker } from 'react-router';
import { noteFormProblem, readConnection, useConnection } from '../connection/connection.ts';
import { Button } from '../parts/Button.tsx';
import { Modal } from '../parts/Modal.tsx';
import classes from '../parts/Overlays.module.css';
import { useUncopiedSecret } from '../parts/ShownOnce.tsx';

/**
 * Delays leaving: with a confirmation if a secret wasn't copied, and until the service answers. Both are here because
 * the router allows one blocker.
 */
export function LeaveGuard() {
  const secret = useUncopiedSecret();
  const { connection } = useConnection();
  const isLost = connection.kind === 'lost';
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      currentLocation.pathname !== nextLocation.pathname &&
      (secret !== null || readConnection().kind === 'lost'),
  );
  useEffect(() => {
    if (blocker.state !== 'blocked' || secret !== null) return;
    if (!isLost) blocker.proceed();
    else noteFormProblem({ title: 'The other page waits', text: 'It opens as soon as it can.' });
  }, [blocker, secret, isLost]);
  if (blocker.state !== 'blocked' || secret === null) return null;
  return (
    <Modal
      className={classes.dialog}
      aria-labelledby="leave-question"
      onClose={() => blocker.reset()}
    >
      <h2 id="leave-question">Leave without a copy?</h2>
      <p className={classes.consequences}>
        The {secret} is shown this once. Nobody can show it again.
      </p>
      <div className="row end">
        <Button variant="danger" onClick={() => blocker.proceed()}>
          Leave
        </Button>
        <Button variant="default" onClick={() => blocker.reset()}>
          Stay
        </Button>
      </div>
    </Modal>
  );
}
