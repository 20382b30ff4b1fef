import type { Message } from './message.ts';
import type { ChatFormat } from './post.ts';
import { linksOf } from './text.ts';

const COLORS: Record<Message['level'], string> = {
  warning: 'Warning',
  failure: 'Attention',
  recovery: 'Good',
  test: 'Default',
};

/**
 * An adaptive card for a workflow ("when a Teams webhook request is received"). Texts from outside are text runs,
 * which have no markup.
 */
export const teams: ChatFormat = (message) => ({
  type: 'message',
  attachments: [
    {
      contentType: 'application/vnd.microsoft.card.adaptive',
      contentUrl: null,
      content: {
        $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
        type: 'AdaptiveCard',
        version: '1.4',
        body: [
          textLine([
            { text: message.title, size: 'Medium', weight: 'Bolder', color: COLORS[message.level] },
          ]),
          ...message.facts.map(({ label, value }) =>
            textLine([{ text: `${label}: `, isSubtle: true }, { text: value }]),
          ),
          ...(message.excerpt === null
            ? []
            : [textLine([{ text: message.excerpt, fontType: 'Monospace' }])]),
        ],
        actions: linksOf(message).map(({ label, url }) => {
          return { type: 'Action.OpenUrl', title: label, url };
        }),
      },
    },
  ],
});

interface Run {
  text: string;
  size?: string;
  weight?: string;
  color?: string;
  fontType?: string;
  isSubtle?: boolean;
}

function textLine(runs: readonly Run[]) {
  return { type: 'RichTextBlock', inlines: runs.map((run) => ({ type: 'TextRun', ...run })) };
}
