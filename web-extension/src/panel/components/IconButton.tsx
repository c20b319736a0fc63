/** A button that shows only an icon; its name is its tooltip and what screen readers say. */
import type { ButtonHTMLAttributes } from "preact";
import { Icon, type IconName } from "./Icon";

type Props = Omit<ButtonHTMLAttributes<HTMLButtonElement>, "icon"> & { icon: IconName; label: string };

/** An icon-only button with an accessible name. */
export function IconButton({ icon, label, ...rest }: Props) {
  return (
    <button type="button" class="icon-button" title={label} aria-label={label} {...rest}>
      <Icon name={icon} />
    </button>
  );
}
