import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import type { Socket } from 'node:net';
import os from 'node:os';
import path from 'node:path';

/** Ends a process together with the one that started it. */
export interface Guard {
  /** Settles when the process and its folder are gone. */
  end(): Promise<void>;
  /** Stops guarding, after the process has ended: its id may be reused by another. */
  release(): void;
}

/** The wait is limited, because a process whose parent is gone may stay in the process table for good. */
const END_PROCESS =
  'cat >/dev/null; kill "-$2" "$1" 2>/dev/null; tries=0; ' +
  'while [ $tries -lt 200 ] && kill -0 "$1" 2>/dev/null; do tries=$((tries+1)); sleep 0.02; done; ' +
  '[ -z "$3" ] || rm -rf "$3"';

/** The delay lets processes that still write there be ended by their own guards. */
const REMOVE_FOLDER = 'cat >/dev/null; sleep 0.2; rm -rf "$1"';

/**
 * Starts a shell that waits for the end of its input. The input ends when this process ends, even by SIGKILL; then the
 * shell sends `signal` to the guarded process.
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

/** Reads process ids from its input, and ends those processes when the input ends. */
const END_PROCESSES =
  'pids=" "; while read -r word pid; do case $word in guard) pids="$pids$pid ";; ' +
  'release) pids="${pids%%" $pid "*} ${pids#*" $pid "}";; esac; done; ' +
  'for pid in $pids; do kill -KILL "$pid"; done';

let watcher: Socket | null = null;

/**
 * Ends a process with this one, by a shell that is started once for all.
 *
 * @returns stops guarding, after the process has ended
 */
export function guardChild(pid: number): () => void {
  const input = (watcher ??= startShell(END_PROCESSES, []).stdin as Socket);
  input.write(`guard ${pid}\n`);
  return () => void input.write(`release ${pid}\n`);
}

let root: string | null = null;

/** Makes an empty folder that is removed when this process ends, in whatever way. */
export function makeFolder(): string {
  if (root === null) {
    root = makeGuardedFolder(os.tmpdir());
  }
  return fs.mkdtempSync(path.join(root, 'folder-'));
}

/** The same below another folder. Postgres, which runs under another account, may pass through it. */
export function makeGuardedFolder(parent: string): string {
  const folder = fs.mkdtempSync(path.join(parent, 'belfry-test-'));
  fs.chmodSync(folder, 0o711);
  startShell(REMOVE_FOLDER, [folder]);
  return folder;
}

function startShell(script: string, args: readonly string[]): ChildProcess {
  const shell = spawn('/bin/sh', ['-c', script, 'sh', ...args], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // A process group of its own, so that Ctrl-C does not end the guard before its work is done.
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

/** Gives a function that unmounts a folder. It is also unmounted when this process ends in any way. */
export function guardMount(folder: string): () => void {
  const shell = startShell(UNMOUNT, [folder]);
  return () => {
    execFileSync('umount', ['-l', folder]);
    if (shell.pid !== undefined) process.kill(-shell.pid, 'SIGKILL');
  };
}
