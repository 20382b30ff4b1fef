import { createContext, useEffect, useRef } from 'react';
import { useNavigation } from 'react-router';

/** The id of the menu that contains the element; null outside of a menu. */
export const InMenu = createContext<string | null>(null);

/** Closes a popover when the response to its form arrives, because it would cover the result. */
export function useClosedByAnswer() {
  const ref = useRef<HTMLDivElement>(null);
  const isSent = useNavigation().formMethod === 'POST';
  useEffect(() => {
    if (!isSent) return;
    return () => ref.current?.hidePopover();
  }, [isSent]);
  return ref;
}
