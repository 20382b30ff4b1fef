import type { Message } from '../message.ts';
import type { ChatChannel } from '../chat-channel.ts';

/** Google Chat renders some HTML in a card's texts, so they are escaped. */
export const googleChat: ChatChannel = {
  formatPost: ({ title, facts, excerpt, link, runbook }: Message) => ({
    fallbackText: title,
    cardsV2: [
      {
        cardId: 'alert',
        card: {
          sections: [
            {
              widgets: [
                { textParagraph: { text: `<b>${escapeMarkup(title)}</b>` } },
                ...facts.map(({ label, value }) => ({
                  decoratedText: { topLabel: label, text: escapeMarkup(value), wrapText: true },
                })),
                ...(excerpt === null ? [] : [{ textParagraph: { text: escapeLines(excerpt) } }]),
                {
                  buttonList: {
                    buttons: [link, ...(runbook === null ? [] : [runbook])].map(
                      ({ label, url }) => ({ text: label, onClick: { openLink: { url } } }),
                    ),
                  },
                },
              ],
            },
          ],
        },
      },
    ],
  }),
};

function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function escapeLines(text: string): string {
  return escapeMarkup(text).replaceAll('\n', '<br>');
}
