import { readConfig } from './config.ts';
import { EXIT, say } from './exit.ts';
import type { Packaged } from './packaged.ts';
import { VERSION } from './version.ts';

/**
 * Without a command, runs the service until it is told to stop. With a command, runs that and ends the process. Each
 * loads only the modules that it needs, because somebody waits for a command.
 *
 * @param packaged  the contents of the package, if this is one
 */
export async function runMain(command: readonly string[], packaged?: Packaged): Promise<void> {
  if (command.length === 1 && command[0] === '--version') {
    process.stdout.write(`${VERSION}\n`);
    return;
  }
  const config = readConfig(process.env, process.cwd());
  if ('errors' in config) {
    for (const line of config.errors) say(line);
    process.exitCode = EXIT.wrongSetting;
  } else if (command.length > 0) {
    const { runOperatorCommand } = await import('./commands.ts');
    process.exitCode = await runOperatorCommand(command, config, packaged);
  } else {
    const { serve } = await import('./serve.ts');
    await serve(config, packaged?.dashboard);
  }
}

if (import.meta.main) await runMain(process.argv.slice(2));
