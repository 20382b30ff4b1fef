import type { Delivery } from '#alerts/deliver';
import { Notifier } from '#alerts/notifier';
import type { Config } from '#config/config';
import type { Log } from '#domain/base/log';
import type { ChannelConfig } from '#domain/alerts/notification-channel';
import { createSender } from '#outgoing/exchange';
import type { StopUrlOf } from '#people/channel-addresses';
import { createMailer } from '#people/mail';
import type { Store } from '#store/store';
import { realClock } from './real-clock.ts';

interface Tools {
  config: Config;
  store: Store;
  log: Log;
  baseUrl: string;
  stopUrlOf: StopUrlOf;
}

/** For a process that ends afterwards. */
export async function sendTestOnce(
  { config, store, log, baseUrl, stopUrlOf }: Tools,
  teamId: string,
  channel: ChannelConfig,
  channelId: string | null,
): Promise<Delivery> {
  const { allowedNetworks, dnsServers } = config;
  const sender = createSender({
    clock: realClock,
    allowedNetworks,
    dnsServers: dnsServers ?? [],
  });
  const mailer = createMailer({ smtpUrl: config.smtpUrl, from: config.mailFrom }, log);
  try {
    const notifier = new Notifier({ store, sender, mailer, log, baseUrl, stopUrlOf });
    return await notifier.sendTest(teamId, channel, channelId);
  } finally {
    mailer.close();
    await sender.close();
  }
}
