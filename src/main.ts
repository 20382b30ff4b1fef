import { EXIT, say } from '#app/exit';
import type { Packaged } from '#app/commands';
import { readConfig } from '#config/config';
import { describeVersion } from '#config/version';

/**
 * Without a command, or with `serve`, runs the service. Each loads only the modules that it needs, so
 * that commands start quickly.
 * @param packaged the contents of the package, if this is one
 */
export async function runMain(command: readonly string[], packaged?: Packaged): Promise<void> {
  const [first] = command;
  if (command.length === 1 && first === '--version') {
    process.stdout.write(`${describeVersion()}\n`);
    return;
  }
  const config = readConfig(process.env, process.cwd());
  if ('errors' in config && !asksForHelp(command)) {
    for (const line of config.errors) say(line);
    process.exitCode = EXIT.wrongSetting;
  } else if (!('errors' in config) && (first === undefined || isServe(command))) {
    const { serve } = await import('#app/serve');
    await serve(config, packaged?.dashboard);
  } else {
    const { runOperatorCommand } = await import('#app/commands');
    process.exitCode = await runOperatorCommand(command, config, packaged);
  }
}

const isServe = (command: readonly string[]) => command.length === 1 && command[0] === 'serve';

/** Help is printed with any settings. */
function asksForHelp(command: readonly string[]): boolean {
  return command[0] === 'help' || ['--help', '-h'].includes(command.at(-1) ?? '');
}

if (import.meta.main) await runMain(process.argv.slice(2));
