import { ProgressBar } from 'react-aria-components';

interface ProgressProps {
  label: string;
  value: number;
  max: number;
  /** Nobody knows how far it is. */
  isIndeterminate?: boolean;
  /** Beside the label, instead of per cent. */
  text?: string;
}

/** Drawn with SVG attributes: the page's policy allows no style attributes in markup. */
export function Progress({ label, value, max, isIndeterminate = false, text }: ProgressProps) {
  const share = max > 0 ? Math.min(1, value / max) : 0;
  return (
    <ProgressBar
      className="progress"
      aria-label={label}
      value={value}
      maxValue={Math.max(1, max)}
      isIndeterminate={isIndeterminate}
      {...(text === undefined ? {} : { valueLabel: text })}
      data-indeterminate={isIndeterminate || undefined}
    >
      <span className="row row-between">
        <span>{label}</span>
        <span className="quiet">{text ?? (isIndeterminate ? '' : `${Math.round(share * 100)} %`)}</span>
      </span>
      <svg viewBox="0 0 100 2" preserveAspectRatio="none" aria-hidden="true">
        <rect className="track" width="100" height="2" />
        <rect className="fill" width={isIndeterminate ? 30 : share * 100} height="2" />
      </svg>
    </ProgressBar>
  );
}
