import { answerQuestionJob } from '@candor/contracts';
import { replyToDeadLetter } from './reply-to-dead-letter.js';

const ID = '11111111-1111-4111-8111-111111111111';
const RUN = '22222222-2222-4222-8222-222222222222';
const error = { type: 'JOB.INVALID_PAYLOAD', message: 'The job cannot be read.' };

describe('replyToDeadLetter', () => {
  it('answers whoever waits, though the question has a field of another version', () => {
    const payload = { requestId: ID, runId: RUN, replyTo: 'replies-1', query: 'q', includeDiagrams: true };
    expect(answerQuestionJob.payload.safeParse(payload).success).toBe(false);
    expect(replyToDeadLetter({ payload, error })).toEqual({
      replyTo: 'replies-1',
      envelope: {
        runId: RUN,
        reply: {
          ok: false,
          requestId: ID,
          error: expect.objectContaining({ code: 'JOB.INVALID_PAYLOAD', message: error.message }),
          facts: {},
        },
      },
    });
  });

  it('has nobody to answer where the payload names none', () => {
    for (const payload of [null, 'q', {}, { requestId: ID, runId: RUN }, { requestId: ID, runId: 'x', replyTo: 'r' }])
      expect(replyToDeadLetter({ payload, error })).toBeNull();
  });

  it('calls an unknown kind of error unexpected', () => {
    const payload = { requestId: ID, runId: RUN, replyTo: 'replies-1' };
    const reply = replyToDeadLetter({ payload, error: { type: 'TypeError', message: 'x' } })?.envelope.reply;
    expect(reply).toMatchObject({ error: { code: 'INTERNAL.UNEXPECTED' } });
  });
});
