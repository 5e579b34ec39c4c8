import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components';
import type { ReactNode } from 'react';

export interface ButtonProps extends Omit<AriaButtonProps, 'className' | 'children' | 'style'> {
  variant?: 'primary' | 'danger' | 'quiet';
  size?: 'small';
  className?: string;
  children: ReactNode;
}

/**
 * What is under way can't be begun again, and the focus stays where it is. (The library's own pending state leaves a remark for
 * screen readers that outlives the button.)
 */
export function Button({
  variant,
  size,
  className,
  children,
  isPending = false,
  onPress,
  type,
  ...props
}: ButtonProps) {
  return (
    <AriaButton
      {...props}
      {...(onPress && !isPending ? { onPress } : {})}
      type={isPending || type === undefined ? 'button' : type}
      aria-disabled={isPending || undefined}
      className={className ? `button ${className}` : 'button'}
      data-variant={variant}
      data-size={size}
    >
      {isPending ? <span className="spinner" aria-hidden="true" /> : null}
      {children}
    </AriaButton>
  );
}
