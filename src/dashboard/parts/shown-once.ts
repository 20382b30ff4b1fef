/**
 * Secrets that are shown once and not yet confirmed, so that leaving the page needs a confirmation. The state lives in
 * the browser.
 */
import { useActionData } from 'react-router';
import { createContext, useEffect, useState, useSyncExternalStore } from 'react';

/** Called by a button that has copied something of a secret that is shown once. */
export const Copied = createContext<() => void>(() => undefined);

/**
 * Keeps a secret from the page's response until it is taken. The response itself is lost when the page refreshes or
 * another of its forms is answered, and the secret cannot be shown again. A new response with a secret replaces it.
 */
export function useKept<Answer extends object, Secret>(
  read: (answer: Partial<Answer>) => Secret | null | undefined,
): { kept: Secret | null; take: () => void } {
  const answer = useActionData() as Partial<Answer> | undefined;
  const brought = answer === undefined ? null : (read(answer) ?? null);
  const [state, setState] = useState({ answer, kept: brought });
  if (answer !== state.answer) setState({ answer, kept: brought ?? state.kept });
  return { kept: state.kept, take: () => setState({ answer, kept: null }) };
}

let untaken: string | null = null;
const listeners = new Set<() => void>();

function noteUntakenSecret(what: string | null): void {
  untaken = what;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** The name of the secret that leaving the page would lose; null if there is none. */
export function useUntakenSecret(): string | null {
  return useSyncExternalStore(
    subscribe,
    () => untaken,
    () => null,
  );
}

/** While `what` would be lost, leaving the page needs a confirmation, by a link or by the browser. */
export function useQuestionAtLeaving(what: string | null): void {
  useEffect(() => {
    if (what === null) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    noteUntakenSecret(what);
    window.addEventListener('beforeunload', ask);
    return () => {
      noteUntakenSecret(null);
      window.removeEventListener('beforeunload', ask);
    };
  }, [what]);
}
