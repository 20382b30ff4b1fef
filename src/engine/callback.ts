import { buildCallbackRequest } from '#domain/callback';
import type { Clock } from '#domain/clock';
import type { Sender } from '#domain/exchange';
import { signRequest } from '#domain/signature';
import type { ClaimedCallback } from '#store/callbacks/callbacks';

const CALLBACK_TIMEOUT_SECONDS = 10;

/** Sends a callback once (§6.1). The outcome is ignored and not recorded. */
export async function sendCallback(
  callback: ClaimedCallback,
  sender: Sender,
  clock: Clock,
): Promise<void> {
  const request = buildCallbackRequest(callback.url, callback.body);
  await sender.send(signRequest(request, callback.signingSecret, clock.now()), {
    timeoutSeconds: CALLBACK_TIMEOUT_SECONDS,
    needs: { searchFor: [], paths: [] },
  });
}
