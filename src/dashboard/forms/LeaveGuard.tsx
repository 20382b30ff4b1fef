import { useEffect } from 'react';
import { useBlocker } from 'react-router';
import { noteFormProblem, readConnection, useConnection } from '../connection/connection.ts';
import { readUncopiedSecret } from '../parts/ShownOnce.tsx';

/**
 * Delays leaving: until the service answers, and with a confirmation if a secret wasn't copied. Both are here because
 * the router allows one blocker.
 */
export function LeaveGuard() {
  const { connection } = useConnection();
  const isLost = connection.kind === 'lost';
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      currentLocation.pathname !== nextLocation.pathname &&
      (readUncopiedSecret() !== null || readConnection().kind === 'lost'),
  );
  useEffect(() => {
    if (blocker.state !== 'blocked') return;
    if (isLost) {
      noteFormProblem({ title: 'The other page waits', text: 'It opens as soon as it can.' });
      return;
    }
    const secret = readUncopiedSecret();
    const question = `Leave without a copy? The ${secret} is shown this once. Nobody can show it again.`;
    if (secret === null || window.confirm(question)) blocker.proceed();
    else blocker.reset();
  }, [blocker, isLost]);
  return null;
}
