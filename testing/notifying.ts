import { createNotifier, type Notifier } from '#alerts/notifier';
import { silentLog } from '#domain/base/log';
import { createMailer } from '#people/mail';
import type { Store } from '#store/store';
import { eventually } from './process.ts';
import type { TestService } from './service.ts';
import type { SmtpReceiver } from './smtp.ts';

export const BASE_URL = 'https://belfry.example';

interface TestNotifier extends AsyncDisposable {
  notifier: Notifier;
  /** Waits until all due notifications were sent or tried. */
  allSent(): Promise<void>;
}

/**
 * Starts the notifier of a service.
 *
 * @param smtp  where mails go; without it they go to the log
 * @param store  another handle on the service's store, as another process has it
 */
export async function startNotifier(
  service: TestService,
  { smtp, store = service.store }: { smtp?: SmtpReceiver; store?: Store } = {},
): Promise<TestNotifier> {
  const mail = { smtpUrl: smtp?.url ?? null, from: 'Belfry <belfry@belfry.example>' };
  const mailer = createMailer(mail, silentLog);
  const { sender, clock } = service;
  const { stopUrlOf } = service.people;
  const tools = { store, sender, mailer, log: silentLog, baseUrl: BASE_URL, stopUrlOf };
  const notifier = createNotifier(tools);
  await notifier.start();
  const isDone = async () => {
    if (!notifier.isQuiet()) return false;
    const waiting = await store.notifications.scanWaiting();
    return notifier.isQuiet() && waiting.every(({ nextDueAt }) => nextDueAt > clock.now());
  };
  return {
    notifier,
    allSent: async () =>
      void (await eventually(isDone, { everyMs: 4, what: 'notifications to be sent' })),
    [Symbol.asyncDispose]: async () => {
      const stopped = notifier.stop(0);
      await clock.advance(1);
      await stopped;
      mailer.close();
    },
  };
}
