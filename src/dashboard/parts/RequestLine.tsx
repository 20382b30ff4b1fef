import { CopyButton } from './CopyButton.tsx';
import classes from './RequestLine.module.css';

const tailCharacters = 14;
/** The style sheet keeps room for three characters before the cut. */
const shortestCut = 5;

type RequestLineProps = {
  method?: string;
  url: string;
  copy?: string;
};

/**
 * The path is cut in its middle. The whole text is shown on hover and focus, copied, and
 * read by screen readers.
 */
export function RequestLine({ method, url, copy }: RequestLineProps) {
  const whole = method ? `${method} ${url}` : url;
  const [, scheme = '', host = '', path = ''] = /^(https?:\/\/)?([^/?#]*)(.*)$/is.exec(url) ?? [];
  return (
    <span className={classes.request} title={whole}>
      {method ? <span className={classes.method}>{method} </span> : null}
      <span className={classes.address}>
        <span className={classes.host}>
          <span className={scheme === 'https://' ? classes.usual : undefined}>{scheme}</span>
          {host}
        </span>
        <Path text={path} />
      </span>
      {copy ? <CopyButton text={whole} label={copy} /> : null}
    </span>
  );
}

/** Its end says more than the part before it. */
export function CutText({ text, copy }: { text: string; copy: string }) {
  return (
    <span className={classes.request} title={text}>
      <Path text={text} />
      <CopyButton text={text} label={copy} />
    </span>
  );
}

/** The style sheet makes the cut, so it adapts to the column's width. */
function Path({ text }: { text: string }) {
  if (text === '') return null;
  const characters = Array.from(text);
  const isShort = characters.length < shortestCut;
  const ofTail = isShort ? characters.length : Math.floor(characters.length / 2);
  const cutAt = characters.length - Math.min(tailCharacters, ofTail);
  return (
    <span className={classes.path}>
      {isShort ? null : <span className={classes.head}>{characters.slice(0, cutAt).join('')}</span>}
      <span className={classes.tail}>{characters.slice(cutAt).join('')}</span>
    </span>
  );
}
