import { addSample, countWaiting, type QueueSample } from './queue-history.js';

describe('the history of the queue', () => {
  it('keeps the last sixty looks, each once', () => {
    let history: QueueSample[] = [];
    for (let at = 0; at < 70; at++) history = addSample(history, { at, waiting: at });
    history = addSample(history, { at: 69, waiting: 0 });
    expect(history).toHaveLength(60);
    expect(history.at(0)).toEqual({ at: 10, waiting: 10 });
    expect(history.at(-1)).toEqual({ at: 69, waiting: 69 });
  });

  it('adds up the stages', () => {
    expect(countWaiting({ accepted: 3, indexing: 2 })).toBe(5);
    expect(countWaiting({})).toBe(0);
  });
});
