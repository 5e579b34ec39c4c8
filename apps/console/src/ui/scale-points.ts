export interface ChartPoint {
  x: number;
  y: number;
}

/** Values at even distances, scaled into a box whose y grows downwards; the lowest line of the box is zero. */
export function scalePoints(values: readonly number[], width: number, height: number): ChartPoint[] {
  const top = niceCeiling(Math.max(0, ...values));
  const step = values.length > 1 ? width / (values.length - 1) : 0;
  return values.map((value, index) => ({ x: round(index * step), y: round(height - (value / top) * height) }));
}

/** The next of 1, 2, 5, 10, 20, 50 … that is not below the value; 1 for nothing. */
export function niceCeiling(value: number): number {
  if (value <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 5, 10].find((factor) => factor * power >= value) ?? 10) * power;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
