import type { Command } from 'commander';
import type { ReasonData } from '@candor/contracts';
import type { CliContext } from '../run-cli.js';
import { withClient, withCommonOptions, type CommonOptions, type Paint } from '../with-client.js';
import { anyWholeNumber } from './read-options.js';

interface AskOptions extends CommonOptions {
  limit?: number;
  document?: string;
  collection?: string;
}

export function addAskCommand(program: Command, context: CliContext): void {
  withCommonOptions(
    program
      .command('ask')
      .description('Ask a question; get one cited answer, or why there is none.')
      .argument('<question...>', 'the question')
      .option('--limit <count>', 'most evidence chunks, 1–50', anyWholeNumber)
      .option('--document <id>', 'only evidence of this document')
      .option('--collection <id>', 'only evidence of this collection'),
    ['ask What did we decide about the brand color?', 'ask "How long is the notice period?" --document <id> --json'],
    'A citation proves that its source says so: read it with `candor read <chunkId>` when a decision depends on it.',
  ).action((question: string[], options: AskOptions) =>
    withClient(context, options, async ({ client, signal, paint, print }) => {
      const { limit, document: documentId, collection: collectionId } = options;
      const request = { query: question.join(' '), limit, documentId, collectionId };
      const response = await client.reason(request, { signal });
      print(response, renderAnswer(response.data, paint));
    }),
  );
}

/** The tokens of chunks become the numbers of the sources below. */
function renderAnswer({ answer, citations, gaps, meta }: ReasonData, paint: Paint): string {
  const numbers = new Map(citations.map(({ chunkId }, index) => [chunkId, index + 1]));
  const text = answer.replace(/\[\[([^\]]+)\]\]/g, (token, chunkId: string) => {
    const number = numbers.get(chunkId);
    return number === undefined ? token : paint.cyan(`[${number}]`);
  });
  const sources = citations.map(
    ({ chunkId, documentTitle }, index) => `${paint.cyan(`[${index + 1}]`)} ${documentTitle} ${paint.dim(chunkId)}`,
  );
  // Of a refusal the one sentence is the gap as well.
  const limitations = gaps.filter((gap) => gap !== answer);
  return [
    text,
    ...(sources.length > 0 ? ['', paint.bold('Sources'), ...sources] : []),
    ...(limitations.length > 0 ? ['', paint.bold('Limitations'), ...limitations.map((gap) => `- ${gap}`)] : []),
    '',
    paint.dim(`${meta.chunksGathered} chunks, ${meta.citationsDropped} citations dropped, ${meta.latencyMs} ms`),
  ].join('\n');
}
