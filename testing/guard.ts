import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import type { Socket } from 'node:net';
import os from 'node:os';
import path from 'node:path';

/** Sees to it that a process does not outlive the one that started it. */
export interface Guard {
  /** Ends the guarded process and removes its folder now; settles when both are gone. */
  end(): Promise<void>;
  /** Guards no longer: for a process that has ended, whose number may be another's next. */
  release(): void;
}

/** The wait has an end because a process whose parent is gone may stay in the table of processes for good. */
const END_PROCESS =
  'cat >/dev/null; kill "-$2" "$1" 2>/dev/null; tries=0; ' +
  'while [ $tries -lt 200 ] && kill -0 "$1" 2>/dev/null; do tries=$((tries+1)); sleep 0.02; done; ' +
  '[ -z "$3" ] || rm -rf "$3"';

/** Processes that still write there are ended at the same moment by guards of their own. */
const REMOVE_FOLDER = 'cat >/dev/null; sleep 0.2; rm -rf "$1"';

/**
 * Starts a shell that waits for the end of its input. That comes when this process ends in whatever way,
 * SIGKILL included, and then the guarded process is sent `signal`.
 *
 * @param folder  removed once the process is gone; nothing if left out
 */
export function guardProcess(pid: number, signal: 'QUIT' | 'KILL', folder = ''): Guard {
  const shell = startShell(END_PROCESS, [String(pid), signal, folder]);
  const hasEnded = () => shell.exitCode !== null || shell.signalCode !== null;
  return {
    end: async () => {
      if (hasEnded()) return;
      shell.ref();
      shell.stdin?.end();
      await once(shell, 'exit');
    },
    release: () => {
      if (!hasEnded() && shell.pid !== undefined) process.kill(-shell.pid, 'SIGKILL');
    },
  };
}

let root: string | null = null;

/** Makes an empty folder that is removed when this process ends, in whatever way. */
export function makeFolder(): string {
  if (root === null) {
    root = fs.mkdtempSync(path.join(os.tmpdir(), 'belfry-test-'));
    startShell(REMOVE_FOLDER, [root]);
  }
  return fs.mkdtempSync(path.join(root, 'folder-'));
}

function startShell(script: string, args: readonly string[]): ChildProcess {
  const shell = spawn('/bin/sh', ['-c', script, 'sh', ...args], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // A group of its own: Ctrl-C in the terminal must not reach it before its work is done.
    detached: true,
  });
  shell.on('error', () => {});
  shell.unref();
  const input = shell.stdin as Socket;
  input.on('error', () => {});
  input.unref();
  return shell;
}

const UNMOUNT = 'cat >/dev/null; umount -l "$1"';

/** Gives what unmounts a folder; that is done too when this process ends, in whatever way. */
export function guardMount(folder: string): () => void {
  const shell = startShell(UNMOUNT, [folder]);
  return () => {
    execFileSync('umount', ['-l', folder]);
    if (shell.pid !== undefined) process.kill(-shell.pid, 'SIGKILL');
  };
}
