import { useEffect, useState } from 'react';
import { Palette } from './Palette.tsx';

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/**
 * The keys of the dashboard: Ctrl-K opens the palette, `/` leads into the search field.
 *
 * @param hasSlashKey  speech input presses single keys by accident, so people can switch `/` off (WCAG 2.1.4)
 */
export function Shortcuts({ hasSlashKey }: { hasSlashKey: boolean }) {
  const [isOpen, setIsOpen] = useState(false);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isWithModifier = event.ctrlKey || event.metaKey || event.altKey;
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        setIsOpen(true);
      } else if (
        hasSlashKey &&
        event.key === '/' &&
        !isWithModifier &&
        !isTyping(event.target) &&
        !document.querySelector('dialog[open]')
      ) {
        event.preventDefault();
        document.querySelector<HTMLInputElement>('[data-search]')?.focus();
      }
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [hasSlashKey]);
  return isOpen ? <Palette onClose={() => setIsOpen(false)} /> : null;
}
