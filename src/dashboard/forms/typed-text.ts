import { type ChangeEvent, useEffect, useRef, useState } from 'react';

/**
 * Follows the text of an input. The input keeps the text itself (`defaultValue`, not `value`), or React would take back
 * what was typed before the page's script ran.
 */
export function useTypedText(defaultValue: string) {
  const ref = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(defaultValue);
  useEffect(() => setText(ref.current?.value ?? defaultValue), [defaultValue]);
  const onChange = (event: ChangeEvent<HTMLInputElement>) => setText(event.currentTarget.value);
  return {
    text,
    replace: (fresh: string) => {
      if (ref.current) ref.current.value = fresh;
      setText(fresh);
    },
    input: { ref, defaultValue, onChange },
  };
}
