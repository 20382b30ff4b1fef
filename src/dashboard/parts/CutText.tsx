import { CopyButton } from './CopyButton.tsx';
import classes from './CutText.module.css';

/**
 * A long URL or id on one line, cut in the middle because the end is more informative than the part before it. The
 * style sheet makes the cut, so it adapts to the column's width. The whole text is shown on hover, is selected and
 * copied, and is read by assistive technology.
 */
export function CutText({ text, tail = 14, copy }: { text: string; tail?: number; copy?: string }) {
  const characters = Array.from(text);
  const cutAt = characters.length - Math.min(tail, Math.floor(characters.length / 2));
  return (
    <span className={classes.line} title={text}>
      <span className={classes.head}>{characters.slice(0, cutAt).join('')}</span>
      <span className={classes.tail}>{characters.slice(cutAt).join('')}</span>
      {copy ? <CopyButton text={text} label={copy} /> : null}
    </span>
  );
}
