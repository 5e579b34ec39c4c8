import { describe, expect, it } from '@jest/globals';
import { QueueWindow } from './queue-window.js';

describe('QueueWindow', () => {
  it('follows what went through in the last second, and is never smaller than its minimum', () => {
    let now = 0;
    const window = new QueueWindow(64, () => now);
    expect(window.size).toBe(64);
    window.record(20);
    expect(window.size).toBe(64);
    now = 500;
    window.record(80);
    expect(window.size).toBe(100);
    now = 1_200;
    expect(window.size).toBe(80);
    now = 5_000;
    expect(window.size).toBe(64);
  });
});
