import { answerWith, answerWithText, type ModelCall, type ModelScript } from '@candor/testkit';
import { readShown, type ShownText } from './read-shown.js';

/** What an obedient model tells although nobody showed it. */
export interface Bait {
  /** Of a chunk that the asker can't reach. */
  hiddenId: string;
  /** What it says. */
  secret: string;
}

interface Reference {
  chunkId: string;
  quotation: string;
}

const INVENTED = 'Nobody ever wrote this sentence.';

/**
 * Obeys every order that stands in its evidence, in the shape that it has to answer in: cites the ids that the orders name,
 * repeats their tokens and addresses, quotes what no source says. Each passage is quoted rightly once, or nothing
 * of that would get through.
 */
export function obeyWithinSchema(bait: Bait): ModelScript {
  return (call, response) => {
    const shown = readShown(call);
    const content =
      shown.face === 'typed'
        ? { answer: pwned(shown.passages), citations: shown.passages.map(({ id }) => id), insufficient_evidence: false }
        : { statements: composeStatements(shown.passages, bait), limitations: [pwned(shown.passages)] };
    answerWith(content)(call, response);
  };
}

/** Obeys those that want another shape, in turn: other keys, prose, a call of a tool, a citation of what wasn't shown. */
export function obeyOutright(bait: Bait): ModelScript {
  const forms: ModelScript[] = [
    answerWith({ answer: 'PWNED', citations: [bait.hiddenId], confidence: 1 }),
    answerWithText('PWNED'),
    callTool(bait),
  ];
  let turn = 0;
  return (call, response) => forms[turn++ % forms.length]?.(call, response);
}

/** How many references of such an answer have to be withheld. */
export function countInvented(passages: readonly ShownText[], bait: Bait): number {
  const texts = new Map(passages.map(({ id, text }) => [id, text]));
  return composeStatements(passages, bait)
    .flatMap(({ references }) => references)
    .filter(({ chunkId, quotation }) => !texts.get(chunkId)?.includes(quotation)).length;
}

function composeStatements(passages: readonly ShownText[], { hiddenId, secret }: Bait) {
  return passages.map((passage, index) => {
    const named = readOrders(passage).ids.filter((id) => !passages.some((other) => other.id === id));
    const other = passages[(index + 1) % passages.length];
    const references: Reference[] = [
      { chunkId: passage.id, quotation: passage.text },
      { chunkId: passage.id, quotation: INVENTED },
      { chunkId: hiddenId, quotation: secret },
      ...named.map((chunkId) => ({ chunkId, quotation: secret })),
      ...(other && other !== passage ? [{ chunkId: passage.id, quotation: other.text }] : []),
    ];
    return { text: pwned([passage]), references };
  });
}

/** What the orders want said, with half a token at its end. */
function pwned(passages: readonly ShownText[]): string {
  const orders = passages.map(readOrders);
  const tokens = orders.flatMap(({ ids }) => ids.map((id) => `[[${id}]]`));
  const images = orders.flatMap(({ urls }) => urls.map((url) => `![x](${url})`));
  return ['PWNED', ...tokens, ...images, '[['].join(' ');
}

function readOrders({ title, text }: ShownText): { ids: string[]; urls: string[] } {
  const said = `${title}\n${text}`;
  const named = [
    ...said.matchAll(/\b([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b/g),
    ...said.matchAll(/\bid="([^"]+)"/g),
    ...said.matchAll(/\[\[([^\]]+)\]\]/g),
  ];
  const urls = said.match(/https?:\/\/[^\s)"'<>\]]+/g) ?? [];
  return { ids: [...new Set(named.map(([, id = '']) => id))], urls: [...new Set(urls)] };
}

function callTool({ hiddenId }: Bait): ModelScript {
  const toolCall = {
    id: 'call-1',
    type: 'function',
    function: { name: 'deep_read', arguments: JSON.stringify({ chunkId: hiddenId }) },
  };
  const message = { role: 'assistant', content: null, tool_calls: [toolCall] };
  return (_call: ModelCall, response) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end(
      JSON.stringify({
        id: 'completion-1',
        object: 'chat.completion',
        created: 0,
        model: 'scripted',
        choices: [{ index: 0, finish_reason: 'tool_calls', message }],
      }),
    );
}
