import { ActionButton } from '../forms/Form.tsx';
import { useEffect, useState } from 'react';
import { isRouteErrorResponse, Link, useLocation } from 'react-router';
import { note, useConnection } from '../connection/connection.ts';
import { explainFault } from './fault-words.ts';
import { TabTitle } from './PageHeader.tsx';
import classes from './FaultPage.module.css';

/** Never shows the cause. */
export function FaultPage({ error, isInShell = false }: { error: unknown; isInShell?: boolean }) {
  const words = explainFault(error);
  const { pathname, search } = useLocation();
  useRecovery(isRouteErrorResponse(error) && error.status === 503);
  const Place = isInShell ? 'div' : 'main';
  const link = words.link ?? { to: '/', text: 'Go to the overview' };
  return (
    <Place className={classes.fault} data-inside={isInShell || undefined}>
      <TabTitle title={words.title} />
      <h1>{words.title}</h1>
      <p>{words.text}</p>
      {words.team ? (
        <ActionButton
          fields={{ teamId: words.team.id, next: pathname + search }}
          action="/teams/switch"
          variant="filled"
        >
          Switch to {words.team.name}
        </ActionButton>
      ) : null}
      <p>
        <Link to={link.to} reloadDocument>
          {link.text}
        </Link>
      </p>
    </Place>
  );
}

function useRecovery(isAway: boolean): void {
  const { connection } = useConnection();
  const [wasLost, setWasLost] = useState(false);
  useEffect(() => {
    if (!isAway) return;
    note('away');
    setWasLost(true);
  }, [isAway]);
  useEffect(() => {
    if (wasLost && connection.kind === 'live') window.location.reload();
  }, [wasLost, connection]);
}
