/** Markdown that may still grow. Preact owns the element, the Markdown view owns what is inside. */
import { Component } from "preact";
import { t } from "../i18n";
import { COPY_CODE } from "../markdown/render";
import { MarkdownView } from "../markdown/view";
import { copyText } from "./CopyButton";

interface Props {
  text: string;
  complete: boolean;
  announce: (text: string) => void;
}

const SHOWN_MS = 1600;

/** Rendered Markdown; the element is created once and only changed by the view. */
export class Markdown extends Component<Props> {
  #view: MarkdownView | null = null;

  override shouldComponentUpdate(next: Props): boolean {
    this.#view?.update(next.text, next.complete);
    return false;
  }

  render() {
    return <div class="markdown" dir="auto" ref={this.#fill} />;
  }

  /** The text is there before anything measures the transcript: references are set before layout effects run. */
  readonly #fill = (element: HTMLDivElement | null): void => {
    if (element === null) return;
    // One listener for all code blocks: their buttons come and go with the text.
    element.addEventListener("click", (event) => void this.#copyCode(event));
    this.#view = new MarkdownView(element);
    this.#view.update(this.props.text, this.props.complete);
  };

  async #copyCode(event: MouseEvent): Promise<void> {
    if (!(event.target instanceof Element)) return;
    const button = event.target.closest(`[${COPY_CODE}]`);
    const code = button?.closest(".code")?.querySelector("code")?.textContent;
    if (button === null || code === undefined || !(await copyText(code.replace(/\n$/, "")))) return;
    button.textContent = t("copied");
    this.props.announce(t("copied"));
    setTimeout(() => {
      button.textContent = t("copy");
    }, SHOWN_MS);
  }
}
