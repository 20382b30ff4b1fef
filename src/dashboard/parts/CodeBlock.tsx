import { CopyButton } from './CopyButton.tsx';
import classes from './CodeBlock.module.css';

/** Text to copy: a command, a secret shown once, a piece of code. */
export function CodeBlock({ text, label }: { text: string; label: string }) {
  return (
    <div className={classes.block}>
      <pre tabIndex={0} aria-label={label}>
        {text}
      </pre>
      <CopyButton text={text} label={`Copy ${label}`}>
        Copy
      </CopyButton>
    </div>
  );
}
