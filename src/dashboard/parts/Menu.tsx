import { useEffect, useRef, type ReactNode } from 'react';
import classes from './Menu.module.css';

/**
 * A small menu under a button. It is a `<details>`, so it opens without a script; with one it also
 * closes on a click elsewhere and on Escape. Its entries are links and buttons of forms.
 */
export function Menu({
  label,
  button,
  children,
  isAtEnd = false,
}: {
  label: string;
  button: ReactNode;
  children: ReactNode;
  isAtEnd?: boolean;
}) {
  const ref = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const close = (event: Event) => {
      const menu = ref.current;
      if (!menu?.open) return;
      if (event instanceof KeyboardEvent) {
        if (event.key !== 'Escape') return;
        menu.querySelector('summary')?.focus();
      } else if (
        event.target instanceof Node &&
        menu.querySelector('summary')?.parentElement?.contains(event.target)
      ) {
        // A link of the menu navigates without a reload, so the menu must close itself.
        if (!(event.target instanceof Element) || event.target.closest('a') === null) return;
      }
      menu.open = false;
    };
    document.addEventListener('click', close);
    document.addEventListener('keydown', close);
    return () => {
      document.removeEventListener('click', close);
      document.removeEventListener('keydown', close);
    };
  }, []);
  return (
    <details ref={ref} className={classes.menu} name="menu">
      <summary aria-label={label} title={label}>
        {button}
      </summary>
      <div className={classes.sheet} data-end={isAtEnd || undefined}>
        {children}
      </div>
    </details>
  );
}
