import { CustomEditor, type ExtensionUIContext } from "@earendil-works/pi-coding-agent";
import {
	type Component,
	getKeybindings,
	type Keybinding,
	type KeybindingsManager,
	type TUI,
} from "@earendil-works/pi-tui";

/** Has the component with the keyboard; pi's own class has it, the TUI interface does not. */
type Focus = TUI & { getFocusedComponent?(): Component | null };

const isNativeEditor = (c: Component | null): boolean =>
	c instanceof CustomEditor || (c !== null && "getText" in c && "setAutocompleteProvider" in c); // an editor of another extension

/**
 * Watches who has the editor's slot. Opening a form while one of pi's own selectors is there would throw that out, and
 * pi tells nobody when it clears the slot; so a widget without rows looks once with every frame that is drawn.
 */
export class Slot {
	tui: TUI | undefined;
	#changed: (native: boolean) => void;
	#restyled: () => void;
	#native = false;
	#due = false;
	#waiting: (() => void)[] = [];

	constructor(ui: ExtensionUIContext, changed: (native: boolean) => void, restyled: () => void) {
		this.#changed = changed;
		this.#restyled = restyled;
		ui.setWidget("pi-agent-ask", (tui) => {
			this.tui = tui;
			return { render: () => this.#look(), invalidate: () => this.#restyled() };
		});
	}

	get #focused(): Component | null {
		return (this.tui as Focus | undefined)?.getFocusedComponent?.() ?? null;
	}

	/** Whether pi's own editor is in the slot now. */
	get native(): boolean {
		return isNativeEditor(this.#focused);
	}

	/** pi's keys for something. Its editor knows them even where our import is another copy of pi's packages. */
	keys(binding: Keybinding): string[] {
		const editor = this.#focused as { keybindings?: KeybindingsManager } | null;
		return (editor?.keybindings ?? getKeybindings()).getKeys(binding);
	}

	/** Resolves when pi's editor is in the slot; at once when it is. */
	async free(signal: AbortSignal): Promise<void> {
		while (!this.native) {
			await new Promise<void>((resolve, reject) => {
				signal.addEventListener("abort", () => reject(signal.reason), { once: true });
				this.#waiting.push(resolve);
			});
		}
		signal.throwIfAborted();
	}

	#look(): string[] {
		if (this.native !== this.#native && !this.#due) {
			this.#due = true;
			setImmediate(() => {
				this.#due = false;
				if (this.native === this.#native) return;
				this.#native = this.native;
				this.#changed(this.#native);
				for (const go of this.#native ? this.#waiting.splice(0) : []) go();
			});
		}
		return [];
	}
}
