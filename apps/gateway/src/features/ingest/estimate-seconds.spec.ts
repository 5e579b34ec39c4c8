import { estimateSeconds } from './estimate-seconds.js';

describe('estimateSeconds', () => {
  it.each([
    [{ finished: 10, remaining: 0, elapsedSeconds: 3 }, 0],
    [{ finished: 0, remaining: 5, elapsedSeconds: 3 }, null],
    [{ finished: 10, remaining: 20, elapsedSeconds: 5 }, 10],
    [{ finished: 3, remaining: 1, elapsedSeconds: 10 }, 4],
  ])('%j → %j s', (progress, seconds) => expect(estimateSeconds(progress)).toBe(seconds));
});
