import { use, useEffect, useState } from 'react';
import { addressOf } from '../address.ts';
import { Glyph } from './Glyph.tsx';
import { Copied, ShownOnce } from './ShownOnce.tsx';

import classes from './Code.module.css';

type CopyButtonProps = {
  /** Null: loaded from `from`; without it, there is no button. */
  text: string | null;
  from?: string | undefined;
  label: string;
  children?: string;
};

/** On plain http, where browsers have no clipboard API, it copies from a hidden field. */
export function CopyButton({ text, from, label, children }: CopyButtonProps) {
  const [outcome, setOutcome] = useState<'copied' | 'failed' | null>(null);
  const onCopied = use(Copied);
  const copy = async () => {
    const isCopied = await copyText(text === null ? load(from) : Promise.resolve(text));
    if (isCopied) onCopied();
    setOutcome(isCopied ? 'copied' : 'failed');
  };
  useEffect(() => {
    if (outcome === null) return;
    const timer = setTimeout(() => setOutcome(null), 2000);
    return () => clearTimeout(timer);
  }, [outcome]);
  if (text === null && from === undefined) return null;
  const word =
    outcome === 'copied' ? 'Copied' : outcome === 'failed' ? 'Select and copy by hand' : children;
  return (
    <button
      type="button"
      className={`${classes.copy} needs-script`}
      // An outcome is also its accessible name.
      aria-label={outcome === null ? label : word}
      title={label}
      onClick={() => void copy()}
    >
      <Glyph name={outcome === 'copied' ? 'check' : 'copy'} size={14} />
      {word ? <span>{word}</span> : null}
      <span className="sr-only" role="status">
        {outcome === 'copied' ? 'Copied' : ''}
      </span>
    </button>
  );
}

async function load(from: string | undefined): Promise<string> {
  const answer = from === undefined ? null : await fetch(addressOf(from)).catch(() => null);
  return answer?.ok === true ? answer.text() : '';
}

/** Safari allows writing to the clipboard only during the click, so the clipboard gets the promise. */
async function copyText(loading: Promise<string>): Promise<boolean> {
  if (window.isSecureContext && navigator.clipboard && 'ClipboardItem' in window) {
    try {
      const blob = loading.then((text) => {
        if (text === '') throw new Error('Nothing to copy');
        return new Blob([text], { type: 'text/plain' });
      });
      await navigator.clipboard.write([new ClipboardItem({ 'text/plain': blob })]);
      return true;
    } catch {
      // Refused, or the text did not arrive. The other method may still work.
    }
  }
  const text = await loading;
  return text !== '' && copyBySelection(text);
}

function copyBySelection(text: string): boolean {
  const field = document.createElement('textarea');
  field.value = text;
  field.readOnly = true;
  field.className = 'sr-only';
  // Inside an open dialog nothing outside can be selected.
  const host = document.activeElement?.closest('dialog, [popover]') ?? document.body;
  host.append(field);
  const before = document.activeElement;
  field.select();
  const copied = document.execCommand('copy');
  field.remove();
  if (before instanceof HTMLElement) before.focus();
  return copied;
}

export function CodeBlock({ text, label }: { text: string; label: string }) {
  return (
    <div className={`${classes.block} ${classes.code}`}>
      <pre tabIndex={0} aria-label={label}>
        {text}
      </pre>
      <CopyButton text={text} label={`Copy ${label}`}>
        Copy
      </CopyButton>
    </div>
  );
}

/** With the answer of `useKept`. */
export function NewToken({ kept, take }: { kept: string | null; take: () => void }) {
  if (kept === null) return null;
  return (
    <ShownOnce
      key={kept}
      what="API token"
      title="Copy the token now: it is shown once."
      onTaken={take}
    >
      <CodeBlock text={kept} label="API token" />
    </ShownOnce>
  );
}
