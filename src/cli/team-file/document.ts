import { isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, type YAMLError } from 'yaml';
import { readTopLevelFields } from '#domain/json/text';
import type { Fields } from '#work/fields';
import { toJson } from '#work/resources/resource';

/** A place in the file: `['crons', 0, 'url']`. */
export type Path = readonly (string | number)[];

export interface Problem {
  path: Path;
  message: string;
}

/** Mappings keep their order, and any name may be a key. */
export type Value = string | number | boolean | null | Value[] | Mapping;
export type Mapping = Map<string, Value>;

export interface TeamDocument {
  root: Value;
  /** Of references to the environment; those values are null. */
  problems: readonly Problem[];
  /** From the environment, as `showPath` writes them; never shown. */
  secretPaths: ReadonlySet<string>;
  /** A path with its line, for people: `crons[0].url (line 12)`. */
  locate(path: Path): string;
}

/** When the file is applied, so that it has no secrets. */
type ReadVariable = (name: string) => string | undefined;

/** A foreign file can't read other variables, such as the installation's key. */
export const SECRET_PREFIX = 'BELFRY_SECRET_';
const SECRET_NAME = /^BELFRY_SECRET_[A-Z0-9_]{1,200}$/;

export function readDocument(
  text: string,
  readVariable: ReadVariable,
): TeamDocument | { fault: string } {
  const lines = new LineCounter();
  const parsed = parseDocument(text, { lineCounter: lines, prettyErrors: false, version: '1.2' });
  const [syntax] = [...parsed.errors, ...parsed.warnings];
  if (syntax) {
    const { line, col } = lines.linePos(syntax.pos[0]);
    return { fault: `line ${line}, column ${col}: ${explain(syntax)}` };
  }
  let given: unknown;
  try {
    // Keeps the order of names, `__proto__` included.
    given = parsed.toJS({ mapAsMap: true, maxAliasCount: 100 });
  } catch (error) {
    return { fault: (error as Error).message };
  }
  const resolver = createResolver(readVariable);
  const root = resolver.resolve(given, []);
  const locate = (path: Path) => {
    const start = findStart(parsed.contents, path);
    const at = start === undefined ? '' : ` (line ${lines.linePos(start).line})`;
    return `${showPath(path)}${at}`;
  };
  return { root, problems: resolver.problems, secretPaths: resolver.secretPaths, locate };
}

function explain({ code, message }: YAMLError): string {
  if (code === 'MULTIPLE_DOCS') return 'A team file has only one document.';
  // Without quotes, YAML reads a leading star as an alias.
  return /alias/i.test(message)
    ? `${message}. A text that begins with a star needs quotes.`
    : message;
}

/** Of the field or item, or of the innermost one around it that the file has. */
function findStart(contents: unknown, path: Path): number | undefined {
  let node = contents;
  let start: number | undefined;
  for (const step of path) {
    let named: unknown;
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === step);
      [named, node] = [pair?.key, pair?.value];
    } else {
      named = isSeq(node) ? node.items[Number(step)] : undefined;
      node = named;
    }
    if (isNode(named)) start = named.range?.[0] ?? start;
  }
  return start;
}

/** `crons[0].headers.X-Team` */
export function showPath(path: Path): string {
  const steps = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`));
  return steps.join('').replace(/^\./, '');
}

function createResolver(readVariable: ReadVariable) {
  const problems: Problem[] = [];
  const secretPaths = new Set<string>();
  const refuse = (path: Path, message: string): null => {
    problems.push({ path, message });
    return null;
  };
  const readSecret = (name: unknown, path: Path): Value => {
    if (typeof name !== 'string' || !SECRET_NAME.test(name)) {
      const rule = `${SECRET_PREFIX} and then capital letters, digits and underscores`;
      return refuse(path, `env must name a variable that begins with ${rule}.`);
    }
    const value = readVariable(name);
    if (value === undefined || value === '')
      return refuse(path, `The environment variable ${name} is not set.`);
    secretPaths.add(showPath(path));
    return value;
  };
  const resolve = (given: unknown, path: Path): Value => {
    if (given === null || typeof given === 'string' || typeof given === 'boolean') return given;
    if (typeof given === 'number' && Number.isFinite(given)) return given;
    if (Array.isArray(given)) return given.map((item, at) => resolve(item, [...path, at]));
    if (!(given instanceof Map)) return refuse(path, 'This is no value that a field may have.');
    const name: unknown = given.size === 1 ? given.get('env') : undefined;
    if (name !== undefined) return readSecret(name, path);
    return new Map(
      [...given].map(([key, value]) => [String(key), resolve(value, [...path, String(key)])]),
    );
  };
  return { problems, secretPaths, resolve };
}

export function fieldsOf(mapping: Mapping): Fields {
  return readTopLevelFields(toJson(mapping)) ?? new Map();
}
