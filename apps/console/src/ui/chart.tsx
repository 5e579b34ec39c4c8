import { niceCeiling, scalePoints } from './scale-points.js';

interface ChartProps {
  values: readonly number[];
  /** For who can't see it: what the line says. */
  label: string;
  describe: (value: number) => string;
}

const WIDTH = 300;
const HEIGHT = 100;

/** A line over time. Drawn by attributes alone, which the page's policy allows. */
export function Chart({ values, label, describe }: ChartProps) {
  const points = scalePoints(values.length === 1 ? [values[0]!, values[0]!] : values, WIDTH, HEIGHT);
  const line = points.map(({ x, y }) => `${x},${y}`).join(' ');
  const top = niceCeiling(Math.max(0, ...values));
  return (
    <figure className="chart">
      <span className="quiet small" aria-hidden="true">
        {describe(top)}
      </span>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
        <line className="grid" x1="0" x2={WIDTH} y1="0" y2="0" />
        <line className="grid" x1="0" x2={WIDTH} y1={HEIGHT / 2} y2={HEIGHT / 2} />
        {points.length > 0 ? <polygon className="area" points={`0,${HEIGHT} ${line} ${WIDTH},${HEIGHT}`} /> : null}
        <polyline className="line" points={line} />
        <line className="grid" x1="0" x2={WIDTH} y1={HEIGHT} y2={HEIGHT} />
      </svg>
    </figure>
  );
}
