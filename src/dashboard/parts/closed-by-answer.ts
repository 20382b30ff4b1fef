import { createContext, useEffect, useRef } from 'react';
import { useNavigation } from 'react-router';

/** The id of the menu that what stands in it belongs to; null outside of one. */
export const InMenu = createContext<string | null>(null);

/** A popover goes as the answer to its form comes: what the answer shows would stand behind it. */
export function useClosedByAnswer() {
  const ref = useRef<HTMLDivElement>(null);
  const isSent = useNavigation().formMethod === 'POST';
  useEffect(() => {
    if (!isSent) return;
    return () => ref.current?.hidePopover();
  }, [isSent]);
  return ref;
}
