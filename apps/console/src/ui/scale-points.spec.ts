import { niceCeiling, scalePoints } from './scale-points.js';

describe('scalePoints', () => {
  it('puts zero at the bottom and the round number above the largest at the top', () => {
    expect(scalePoints([0, 50, 100], 200, 40)).toEqual([
      { x: 0, y: 40 },
      { x: 100, y: 20 },
      { x: 200, y: 0 },
    ]);
  });

  it('draws all zeros and a single value inside of the box', () => {
    expect(scalePoints([0, 0], 10, 10).map(({ y }) => y)).toEqual([10, 10]);
    expect(scalePoints([3], 10, 10)).toEqual([{ x: 0, y: 4 }]);
    expect(scalePoints([], 10, 10)).toEqual([]);
  });
});

describe('niceCeiling', () => {
  it.each([
    [0, 1],
    [1, 1],
    [1.2, 2],
    [48, 50],
    [51, 100],
    [100, 100],
    [230, 500],
  ])('of %d is %d', (value, ceiling) => expect(niceCeiling(value)).toBe(ceiling));
});
