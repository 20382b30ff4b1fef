/** What is shown once and not taken yet, so that leaving the page asks first. Lives in the browser. */
import { createContext, useEffect, useState, useSyncExternalStore } from 'react';

/** Called by a button that has copied something inside what is shown once. */
export const Copied = createContext<() => void>(() => undefined);

/**
 * Keeps what an answer brought until it is taken: an answer goes when the page renews itself or another
 * form of it is answered, and what it brought could not be had again.
 *
 * @param answer  the page's answer; a new one that brings something replaces what was kept
 */
export function useKept<Answer extends object, Secret>(
  answer: Answer | undefined,
  read: (answer: Answer) => Secret | undefined,
): { kept: Secret | null; take: () => void } {
  const brought = answer === undefined ? undefined : read(answer);
  const [state, setState] = useState({ answer, kept: brought ?? null });
  if (answer !== state.answer) {
    setState({ answer, kept: brought ?? state.kept });
  }
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

/** The name of what would be lost by leaving the page; null where nothing would. */
export function useUntakenSecret(): string | null {
  return useSyncExternalStore(
    subscribe,
    () => untaken,
    () => null,
  );
}

/** Lets leaving the page ask first, by our own links and by the browser's ways, while `what` would be lost. */
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
