import { useEffect, useRef } from 'react';
import { useRevalidator } from 'react-router';
import { noteRefreshing, readConnection } from '../connection/connection.ts';
import { inBackground } from '../connection/keep-page.ts';

/** A refresh would disturb ticked rows, an open menu or a confirmation. */
const pausingElements: readonly (readonly [selector: string, why: string])[] = [
  ['[data-pauses-refresh]', 'rows are ticked'],
  ['[popover]:popover-open, dialog[open]', 'something is open'],
];

function whyPaused(): string | null {
  const reason = pausingElements.find(([selector]) => document.querySelector(selector) !== null);
  if (reason) return reason[1];
  const forms = document.querySelectorAll<HTMLFormElement>('main form[method="post"]');
  return [...forms].some(isChanged) ? 'unsaved input' : null;
}

function isChanged(form: HTMLFormElement): boolean {
  return [...form.elements].some((field) => {
    if (field instanceof HTMLTextAreaElement) return field.value !== field.defaultValue;
    if (field instanceof HTMLSelectElement)
      return [...field.options].some((option) => option.selected !== option.defaultSelected);
    if (!(field instanceof HTMLInputElement) || field.type === 'hidden') return false;
    return field.value !== field.defaultValue || field.checked !== field.defaultChecked;
  });
}

const lookEveryMs = 500;

/** While the tab is visible, the service answers and no one is disturbed; at once when that becomes true. */
export function useLiveRefresh(everySeconds: number | null): void {
  const revalidator = useRevalidator();
  const latest = useRef(revalidator);
  useEffect(() => {
    latest.current = revalidator;
  });
  useEffect(() => {
    if (everySeconds === null) return;
    let dueAt = performance.now() + everySeconds * 1000;
    let wasLost = false;
    const refresh = async () => {
      dueAt = performance.now() + everySeconds * 1000;
      await inBackground(() => latest.current.revalidate());
    };
    const look = () => {
      if (document.visibilityState !== 'visible') return;
      const isLost = readConnection().kind !== 'live';
      const isBack = wasLost && !isLost;
      wasLost = isLost;
      const why = whyPaused();
      noteRefreshing(why === null ? 'live' : 'paused', why);
      if (isLost || why !== null || latest.current.state !== 'idle') return;
      if (isBack || performance.now() >= dueAt) void refresh();
    };
    noteRefreshing('live');
    const timer = setInterval(look, lookEveryMs);
    const onSeen = () => {
      dueAt = 0;
      look();
    };
    document.addEventListener('visibilitychange', onSeen);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', onSeen);
      noteRefreshing('off');
    };
  }, [everySeconds]);
}
