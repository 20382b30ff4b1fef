import { useLayoutEffect, useRef, type ComponentProps } from 'react';

/**
 * The browser keeps the focus inside, and gives it back at the end. Escape and a click
 * beside it close it.
 */
export function Modal({ onClose, ...props }: ComponentProps<'dialog'> & { onClose: () => void }) {
  const ref = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={ref}
      {...props}
      // The event `close` comes later than a key that opens it again.
      onCancel={(event) => event.target === ref.current && onClose()}
      onClose={onClose}
      onClick={(event) => event.target === ref.current && onClose()}
    />
  );
}
