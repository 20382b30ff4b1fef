import { Argument, type Command, type Option } from 'commander';
import type { Session } from './session.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/**
 * Adds `completion bash|zsh|fish`. The script holds every command and option, so that pressing Tab starts no process.
 */
export function addCompletionCommand(program: Command, session: Session): void {
  program
    .command('completion')
    .description('print a script that completes commands and options in a shell')
    .addArgument(new Argument('<SHELL>', 'bash, zsh or fish').choices(SHELLS))
    .action((shell: Shell) => {
      session.services.terminal.print(WRITERS[shell](listWords(program)));
    });
}

/** The words that may follow a command. */
interface Place {
  /** The command so far: ``, `job`, `job list`. */
  command: string;
  words: readonly Word[];
  /** The options that take a value, with their choices; an empty list means any value. */
  values: readonly { option: string; choices: readonly string[] }[];
}

interface Word {
  text: string;
  /** One line. */
  description: string;
}

/** Collects the names of commands and options. All are constants of the code, so no shell syntax needs escaping. */
function listWords(program: Command): Place[] {
  const places: Place[] = [];
  const visit = (command: Command, name: string) => {
    const options = [...command.options, ...(command === program ? [] : program.options)];
    const children = command.commands.map((child) => ({
      text: child.name(),
      description: child.description(),
    }));
    const shells = command.registeredArguments.flatMap(({ argChoices = [] }) =>
      argChoices.map((text) => ({ text, description: '' })),
    );
    const words = [...children, ...shells, ...options.map(wordOf), HELP];
    places.push({ command: name, words, values: options.flatMap(valuesOf) });
    for (const child of command.commands) visit(child, `${name} ${child.name()}`.trim());
  };
  visit(program, '');
  return places;
}

const HELP = { text: '--help', description: 'show what there is' };
const wordOf = ({ long, description }: Option): Word => ({ text: long ?? '', description });

function valuesOf({ long, required, argChoices = [] }: Option): Place['values'] {
  return long && required ? [{ option: long, choices: argChoices }] : [];
}

const textsOf = ({ words }: Place) => words.map(({ text }) => text).join(' ');

const WRITERS: Record<Shell, (places: readonly Place[]) => string> = {
  bash: writeBash,
  zsh: writeZsh,
  fish: writeFish,
};

/** The script takes the words before the first option as the command. */
function writeBash(places: readonly Place[]): string {
  const cases = places.map((place) => {
    const values = place.values.map(
      ({ option, choices }) => `      ${option}) words="${choices.join(' ')}" ;;`,
    );
    return `    "${place.command}") case "$before" in
${values.join('\n')}
      *) words="${textsOf(place)}" ;;
      esac ;;`;
  });
  return `# belfry completion bash: load it from ~/.bashrc with  eval "$(belfry completion bash)"
_belfry() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" command="" words="" at
  for ((at = 1; at < COMP_CWORD; at++)); do
    [[ \${COMP_WORDS[at]} == -* ]] && break
    command="\${command:+$command }\${COMP_WORDS[at]}"
  done
  case "$command" in
${cases.join('\n')}
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}
complete -o default -F _belfry belfry
`;
}

function writeZsh(places: readonly Place[]): string {
  const quote = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;
  const cases = places.map((place) => {
    const values = place.values.map(
      ({ option, choices }) =>
        `        ${option}) ${choices.length > 0 ? `compadd -- ${choices.join(' ')}` : '_files'}; return ;;`,
    );
    const words = place.words.map(({ text, description }) =>
      quote(`${text}:${description.replaceAll(':', String.raw`\:`)}`),
    );
    return `    ${quote(place.command)})
      case $words[CURRENT-1] in
${values.join('\n')}
      esac
      choices=(${words.join(' ')}) ;;`;
  });
  return `#compdef belfry
# belfry completion zsh: load it from ~/.zshrc, after compinit, with  eval "$(belfry completion zsh)"
_belfry() {
  local so_far="" at
  local -a choices
  for ((at = 2; at < CURRENT; at++)); do
    [[ $words[at] == -* ]] && break
    so_far="\${so_far:+$so_far }$words[at]"
  done
  case $so_far in
${cases.join('\n')}
  esac
  if ((\${#choices})); then _describe 'belfry' choices; else _files; fi
}
compdef _belfry belfry
`;
}

function writeFish(places: readonly Place[]): string {
  const quote = (text: string) => `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`;
  const lines = places.flatMap(({ command, words, values }) => {
    const when = `-n "__belfry_at ${quote(command)}"`;
    const choices = new Map(values.map(({ option, choices: each }) => [option, each]));
    return words.map(({ text, description }) => {
      const what = text.startsWith('--') ? `-l ${text.slice(2)}` : `-a ${text}`;
      const of = choices.get(text);
      const value = of ? (of.length > 0 ? ` -x -a ${quote(of.join(' '))}` : ' -r') : '';
      return `complete -c belfry -f ${when} ${what}${value} -d ${quote(description)}`;
    });
  });
  return `# belfry completion fish: save it as ~/.config/fish/completions/belfry.fish
function __belfry_at
    set -l so_far
    for word in (commandline -opc)[2..]
        string match -q -- '-*' $word; and break
        set -a so_far $word
    end
    test "$so_far" = "$argv[1]"
end
${lines.join('\n')}
`;
}
