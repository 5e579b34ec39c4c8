import { readShownChunks, type ModelCall } from '@candor/testkit';

export interface ShownText {
  id: string;
  title: string;
  text: string;
}

/** What one call shows the model, as a model reads it. `face`: which of the two ways of answering asked. */
export interface Shown {
  face: 'plain' | 'typed';
  question: string;
  passages: ShownText[];
}

interface TypedPayload {
  question: string;
  evidence: ShownText[];
}

const QUESTION = '\n\nQuestion: ';

export function readShown(call: ModelCall): Shown {
  const user = userTextOf(call);
  if (user.startsWith('{')) {
    const { question, evidence } = JSON.parse(user) as TypedPayload;
    return { face: 'typed', question, passages: evidence.map(({ id, title, text }) => ({ id, title, text })) };
  }
  return {
    face: 'plain',
    question: user.slice(user.lastIndexOf(QUESTION) + QUESTION.length),
    passages: readShownChunks(call).map(({ chunkId, title, content }) => ({ id: chunkId, title, text: content })),
  };
}

export function userTextOf(call: ModelCall): string {
  return call.body.messages.at(-1)?.content ?? '';
}
