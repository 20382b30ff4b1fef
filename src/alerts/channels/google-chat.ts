import type { ChatFormat } from './post.ts';
import { escapeAngles, linksOf } from './text.ts';

/** Google Chat renders some HTML in a card's texts, so they are escaped. */
export const googleChat: ChatFormat = (message) => ({
  fallbackText: message.title,
  cardsV2: [
    {
      cardId: 'alert',
      card: {
        sections: [
          {
            widgets: [
              { textParagraph: { text: `<b>${escapeAngles(message.title)}</b>` } },
              ...message.facts.map(({ label, value }) => ({
                decoratedText: { topLabel: label, text: escapeAngles(value), wrapText: true },
              })),
              ...(message.excerpt === null
                ? []
                : [{ textParagraph: { text: escapeLines(message.excerpt) } }]),
              {
                buttonList: {
                  buttons: linksOf(message).map(({ label, url }) => ({
                    text: label,
                    onClick: { openLink: { url } },
                  })),
                },
              },
            ],
          },
        ],
      },
    },
  ],
});

function escapeLines(text: string): string {
  return escapeAngles(text).replaceAll('\n', '<br>');
}
