export type Token = { kind: 'key' | 'text' | 'number' | 'word' | 'mark'; text: string };

const pattern =
  /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[{}[\],:]|[ \t\r\n]+/y;

/**
 * Numbers keep their digits, strings their escapes, objects their order and duplicate keys. Null if it isn't JSON.
 * Takes linear time.
 */
export function layOutJson(source: string): Token[] | null {
  const raw = splitTokens(source);
  if (raw === null) return null;
  const laidOut: Token[] = [];
  let depth = 0;
  for (const [at, text] of raw.entries()) {
    const next = raw[at + 1];
    const before = raw[at - 1];
    if (text === '{' || text === '[') {
      depth += 1;
      const closes = next === '}' || next === ']';
      laidOut.push({ kind: 'mark', text: closes ? text : text + lineBreak(depth) });
    } else if (text === '}' || text === ']') {
      depth -= 1;
      if (depth < 0) return null;
      laidOut.push({
        kind: 'mark',
        text: before === '{' || before === '[' ? text : lineBreak(depth) + text,
      });
    } else if (text === ',') laidOut.push({ kind: 'mark', text: text + lineBreak(depth) });
    else if (text === ':') laidOut.push({ kind: 'mark', text: ': ' });
    else laidOut.push({ kind: kindOf(text, next), text });
  }
  return depth === 0 && laidOut.length > 0 ? laidOut : null;
}

/** Deep nesting would indent a small text into a huge one. */
function lineBreak(depth: number): string {
  return `\n${'  '.repeat(Math.min(depth, 20))}`;
}

function kindOf(text: string, next: string | undefined): Token['kind'] {
  if (text.startsWith('"')) return next === ':' ? 'key' : 'text';
  return /^[tfn]/.test(text) ? 'word' : 'number';
}

function splitTokens(source: string): string[] | null {
  const tokens: string[] = [];
  pattern.lastIndex = 0;
  while (pattern.lastIndex < source.length) {
    const match = pattern.exec(source);
    if (match === null) return null;
    if (match[0].trim() !== '') tokens.push(match[0]);
  }
  return tokens;
}
