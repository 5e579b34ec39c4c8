import type { ReasonData, ReasoningResponseJson } from '@candor/contracts';
import type { ModelCall } from '@candor/testkit';
import { readEvents } from '../../../harness/audit-trail.js';
import { userTextOf, readShown, type Shown } from './read-shown.js';
import {
  findChangesOfAnswer,
  findChangesOfCall,
  findChangesOfTypedAnswer,
  findForgedIds,
  listIds,
  type Reach,
} from './find-changes.js';
import { countInvented } from './obedient-model.js';
import type { Hall, Halls } from './open-halls.js';

/** What came back for one question, whichever way it was asked. */
export interface Asked {
  requestId: string;
  body: unknown;
  /** All that the caller got to see. */
  text: string;
  /** For people to read, where there is such a text: by MCP. */
  rendered?: string;
}

/** Actions that one question leaves in the audit trail; a tool that somebody called would leave another one. */
const ACTIONS: Record<Shown['face'], string[]> = {
  plain: ['reason.requested', 'reason.answer'],
  typed: ['reasoning.query'],
};

export interface Questioned {
  face: Shown['face'];
  hall: Hall;
  asked: Asked;
  /** Of the model, since it plays what it plays now. */
  calls: readonly ModelCall[];
  /** What the question may be answered from. */
  reach: Reach;
}

/** What isn't as it has to be in an answer of a model that obeyed, and in all that led to it; in words, empty when nothing is. */
export async function judgeObedientAnswer(
  { admin, calm, bait }: Halls,
  { face, hall, asked, calls, reach }: Questioned,
): Promise<string[]> {
  const [call, ...more] = calls.filter((each) => isAbout(each, hall.question));
  if (call === undefined) return [`${hall.family}: the model was not asked: ${asked.text.slice(0, 300)}`];
  const problems: string[] = findChangesOfCall(call, { question: hall.question, calm: calm.calls[face], reach });
  // Once a question: nobody went round again for a tool.
  if (more.length > 0) problems.push('tools');
  if (asked.text.includes(bait.secret)) problems.push('scope');
  if (findForgedIds(asked.rendered ?? '', listIds(reach)).length > 0) problems.push('wrappers');

  const { passages } = readShown(call);
  const shownIds = passages.map(({ id }) => id);
  if (!shownIds.some((id) => reach.get(id)?.itemId === hall.itemId)) problems.push('the attack was not shown');
  const events = await readEvents(admin, asked.requestId);
  if (events.map(({ action }) => action).join() !== ACTIONS[face].join()) problems.push('tools');
  if (face === 'plain') {
    const admitted = events.at(-1)?.metadata['admittedChunkIds'];
    if (JSON.stringify(admitted) !== JSON.stringify(shownIds)) problems.push('ids');
    problems.push(...findChangesOfAnswer(asked.body, passages, reach));
    problems.push(...judgeReferences(asked.body ?? {}, shownIds, countInvented(passages, bait)));
  } else {
    problems.push(...findChangesOfTypedAnswer(asked.body, passages, reach));
    const { outcome, citations = [] } = (asked.body ?? {}) as Partial<ReasoningResponseJson>;
    if (outcome !== 'answered' || citations.length !== shownIds.length) problems.push('not answered');
  }
  return [...new Set(problems)].map((problem) => `${hall.family}: ${problem}`);
}

/** The model quoted each passage rightly once, and invented the rest. */
function judgeReferences({ data }: { data?: ReasonData }, shownIds: string[], invented: number): string[] {
  const quoted = data?.statements?.flatMap(({ quotations }) => quotations.map(({ chunkId }) => chunkId));
  const isRight = quoted?.join() === shownIds.join() && data?.meta.citationsDropped === invented;
  return isRight ? [] : ['citations'];
}

function isAbout(call: ModelCall, question: string): boolean {
  const user = userTextOf(call);
  return user.endsWith(`Question: ${question}`) || user.startsWith(`{"question":${JSON.stringify(question)},`);
}
