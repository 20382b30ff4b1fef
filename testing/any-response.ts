import * as fc from 'fast-check';

/** Random HTTP responses as Latin-1 texts: valid ones, and such as broken or hostile targets send. */

const TOKEN_CHARACTERS = "!#$%&'*+-.^_`|~09AZaz";
const token = fc
  .array(fc.constantFrom(...TOKEN_CHARACTERS.split('')), { minLength: 1, maxLength: 12 })
  .map((characters) => characters.join(''));
/** Visible characters and the upper half of Latin-1. */
const visible = fc
  .array(fc.oneof(fc.integer({ min: 0x21, max: 0x7e }), fc.integer({ min: 0x80, max: 0xff })), {
    maxLength: 12,
  })
  .map((codes) => String.fromCharCode(...codes));
const words = fc.array(visible, { maxLength: 3 }).map((list) => list.join(' '));
const space = fc.constantFrom('', ' ', ' ', ' ', '\t', '  ');
const line = (name: string, value: fc.Arbitrary<string>) =>
  fc
    .tuple(space, value, space)
    .map(([before, text, behind]) => `${name}:${before}${text}${behind}`);

/** A name that does not frame the response, and that no client reads. */
const plainName = token.map((name) => `X-${name}`);
const plainField = fc.tuple(plainName, space, words, space).map(([name, before, value, behind]) => {
  return `${name}:${before}${value}${behind}`;
});
const anyCase = (text: string) =>
  fc.array(fc.boolean(), { minLength: text.length, maxLength: text.length }).map((uppers) =>
    text
      .split('')
      .map((char, at) => (uppers[at] ? char.toUpperCase() : char))
      .join(''),
  );
const namedField = (name: string, value: fc.Arbitrary<string>) =>
  anyCase(name).chain((written) => line(written, value));

const persistence = fc.oneof(
  namedField('connection', fc.constantFrom('close', 'keep-alive', 'Close', 'x, keep-alive')),
  namedField('keep-alive', fc.constantFrom('timeout=5', 'timeout=5, max=9', 'max=9', 'timeout=0')),
);
const bodyText = fc.oneof(
  visible,
  fc.constantFrom('', '\r\n', '0\r\n\r\n', '\r\n\r\nHTTP/1.1 200 OK\r\n\r\n', '\0\n\r\xff'),
  fc.string({ unit: 'binary-ascii', maxLength: 30 }),
);

interface Framed {
  fields: readonly string[];
  body: string;
}

const withLength: fc.Arbitrary<Framed> = bodyText.chain((body) =>
  namedField('content-length', fc.constantFrom(`${body.length}`, `0${body.length}`)).map(
    (field) => ({ fields: [field], body }),
  ),
);
const extension = fc.oneof(
  { weight: 4, arbitrary: fc.constant('') },
  fc.constantFrom(';a', ';a=b', ';a="b c"', ';a;b=1'),
);
const chunk = fc
  .tuple(bodyText, extension, fc.constantFrom('', '0', '000'), fc.boolean())
  .map(([data, ext, zeros, isUpper]) => {
    const digits = data.length.toString(16);
    const size = `${zeros}${isUpper ? digits.toUpperCase() : digits}${ext}`;
    return data === '' ? '' : `${size}\r\n${data}\r\n`;
  });
const chunked: fc.Arbitrary<Framed> = fc
  .tuple(
    fc.array(chunk, { maxLength: 4 }),
    extension,
    fc.array(plainField, { maxLength: 2 }),
    namedField('transfer-encoding', fc.constantFrom('chunked', 'Chunked', 'gzip, chunked')),
  )
  .map(([chunks, ext, trailers, field]) => {
    const last = ['0' + ext, ...trailers, '', ''].join('\r\n');
    return { fields: [field], body: chunks.join('') + last };
  });
const untilClose: fc.Arbitrary<Framed> = bodyText.map((body) => ({ fields: [], body }));
const empty: fc.Arbitrary<Framed> = fc.constant({ fields: [], body: '' });

const informational = fc
  .tuple(fc.constantFrom(100, 102, 103), fc.array(plainField, { maxLength: 2 }))
  .map(([status, fields]) => [`HTTP/1.1 ${status} Wait`, ...fields, '', ''].join('\r\n'));

function responseOf(statuses: fc.Arbitrary<number>, framed: fc.Arbitrary<Framed>) {
  return fc
    .tuple(
      fc.array(informational, { maxLength: 2 }),
      fc.constantFrom('1.1', '1.1', '1.1', '1.0'),
      statuses,
      fc.option(words, { nil: null }),
      fc.array(fc.oneof({ weight: 3, arbitrary: plainField }, persistence), { maxLength: 4 }),
      framed,
      fc.nat(),
    )
    .map(([before, version, status, reason, others, { fields, body }, at]) => {
      const first = `HTTP/${version} ${status}${reason === null ? '' : ` ${reason}`}`;
      const place = at % (others.length + 1);
      const headers = [...others.slice(0, place), ...fields, ...others.slice(place)];
      return [...before, [first, ...headers, '', ''].join('\r\n'), body].join('');
    });
}

const withBody = fc.oneof(
  fc.integer({ min: 200, max: 999 }).filter((status) => status !== 204 && status !== 304),
  fc.constantFrom(200, 201, 302, 404, 503),
);

/** Valid responses, each ending with its last byte or with the connection. */
export const validResponse: fc.Arbitrary<string> = fc.oneof(
  responseOf(withBody, fc.oneof(withLength, chunked, untilClose)),
  responseOf(fc.constantFrom(204, 304), empty),
);

/** What a mutation may put in: everything that means something to a parser. */
const SPICE = [
  ...'\r\n\t :;,0123456789abcdefghHTPx/.-\0\x01\x7f\x80\xff'.split(''),
  '\r\n',
  '\r\n\r\n',
  '\r\n ',
  'HTTP/1.1 200 OK\r\n',
  'HTTP/1.0',
  'HTTP/1.7 299 Odd\r\n',
  'HTTP/2 200 OK\r\n\r\n',
  'HTTP/1.1 101 Up\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n',
  'HTTP/1.1 100 Continue\r\n\r\n',
  'HTTP/1.1 099 Low\r\n',
  '\r\nContent-Length: 3',
  '\r\nContent-Length: 3, 3',
  '\r\nContent-Length:',
  '\r\nContent-Length: 99999999999999999999',
  '\r\nTransfer-Encoding: chunked',
  '\r\nTransfer-Encoding: identity',
  '\r\nTransfer-Encoding:',
  '\r\nConnection: close',
  '\r\nConnection: Keep-Alive, x',
  '\r\nKeep-Alive: timeout=1',
  '\r\nX: a\r\n\t b',
  'ffffffffffffffff',
  '20000000000000',
  '1fffffffffffff',
  '0\r\n\r\n',
  ' ;x',
];

const mutation = fc.tuple(
  fc.constantFrom('insert', 'replace', 'delete', 'repeat', 'cut'),
  fc.nat(),
  fc.integer({ min: 1, max: 12 }),
  fc.constantFrom(...SPICE),
);

function mutate(text: string, [kind, where, length, spice]: [string, number, number, string]) {
  const at = where % (text.length + 1);
  const [before, behind] = [text.slice(0, at), text.slice(at)];
  if (kind === 'insert') return before + spice + behind;
  if (kind === 'replace') return before + spice + behind.slice(spice.length);
  if (kind === 'delete') return before + behind.slice(length);
  if (kind === 'repeat') return before + behind.slice(0, length) + behind;
  return before;
}

/** Valid responses with a few changes each, and some that are nothing but noise. */
export const mutatedResponse: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 9,
    arbitrary: fc
      .tuple(validResponse, fc.array(mutation, { maxLength: 4 }))
      .map(([text, mutations]) => mutations.reduce(mutate, text)),
  },
  {
    weight: 1,
    arbitrary: fc.array(fc.constantFrom(...SPICE), { maxLength: 12 }).map((all) => all.join('')),
  },
);

/** Responses of which one part is about as long as it may be, or that have about as many 1xx as they may. */
export const responseAtLimit: fc.Arbitrary<string> = fc
  .tuple(fc.integer({ min: -4, max: 4 }), fc.constantFrom('\r\n', '\n', 'x'), fc.nat({ max: 5 }))
  .map(([delta, odd, kind]) => {
    const fill = (before: string, length: number, behind: string) =>
      before + 'x'.repeat(Math.max(0, length - before.length - behind.length)) + behind;
    const head = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
    const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
    switch (kind) {
      case 0:
        return `${fill('HTTP/1.1 200 OK\r\nA: ', 65_536 + delta, '\r\n\r\n')}ok`;
      case 1:
        return fill('HTTP/1.1 200 OK\r\nA: ', 65_536 + delta, odd);
      case 2:
        return `${head}${fill('2;', 16_384 + delta, '\r\n')}ok\r\n0\r\n\r\n`;
      case 3:
        return `${head}0\r\n${fill('A: ', 65_536 + delta, '\r\n\r\n')}`;
      case 4:
        return 'HTTP/1.1 103 Hint\r\nA: b\r\n\r\n'.repeat(16 + delta) + OK;
      default:
        return `HTTP/1.1 200 OK\r\n${fill('A: ', 16_384 + delta, '\r\n')}B: c\r\n\r\nok`;
    }
  });
