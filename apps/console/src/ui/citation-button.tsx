import { ToggleButton } from 'react-aria-components';

interface CitationButtonProps {
  number?: number;
  title: string;
  isShown: boolean;
  onPress: () => void;
}

export function CitationButton({ number, title, isShown, onPress }: CitationButtonProps) {
  return (
    <ToggleButton className="citation" isSelected={isShown} onPress={onPress}>
      {number === undefined ? null : <strong>{number}</strong>}
      <span>{title}</span>
    </ToggleButton>
  );
}
