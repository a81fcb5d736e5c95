import type { ExtensionUIContext } from "@earendil-works/pi-coding-agent";
import type { TUI } from "@earendil-works/pi-tui";
import { dropTyping } from "./input.ts";
import { Slot } from "./slot.ts";
import { type Frame, roomIn, View } from "./view.ts";

type Mounted = { view: View; done: () => void; textBefore: string };

export interface Listener {
	notify(method: string, params: Record<string, unknown>, latest?: string): void;
	/** pi's own editor has its slot again, or something else has it that is no form of ours. */
	editor(native: boolean): void;
	/** The theme may have changed. */
	restyled(): void;
}

/** The forms in the editor's slot, by their numbers. */
export class Forms {
	#ui: ExtensionUIContext;
	#listener: Listener;
	#slot: Slot;
	#mounted = new Map<number, Mounted>();
	#waiting = new Map<number, AbortController>();
	#dirty = false;
	#hearAgain = () => {}; // ends the dropping of keys

	constructor(ui: ExtensionUIContext, listener: Listener) {
		this.#ui = ui;
		this.#listener = listener;
		this.#slot = new Slot(
			ui,
			(native) => this.#slotChanged(native),
			() => listener.restyled(),
		);
	}

	get tui(): TUI | undefined {
		return this.#slot.tui;
	}

	/** The keys that attach an image in pi's editor. */
	get pasteImageKeys(): string[] {
		return this.#slot.keys("app.clipboard.pasteImage");
	}

	/** How large a form can be now; undefined before pi has drawn anything. */
	get room(): { cols: number; rows: number } | undefined {
		return this.tui && roomIn(this.tui);
	}

	get editorReady(): boolean {
		return this.#slot.native;
	}

	/** Waits until a form may have the slot: other dialogs keep it until they close. */
	async free(form: number): Promise<void> {
		const wait = new AbortController();
		this.#waiting.set(form, wait);
		await this.#slot.free(wait.signal).finally(() => this.#waiting.delete(form));
	}

	/** Puts a form into the slot. Its number stays the same when it is put there again. */
	open(form: number, asks: boolean, frame?: Frame): Promise<void> {
		const ui = this.#ui;
		return new Promise((resolve, reject) => {
			ui.custom<void>(
				(tui, _theme, _keys, done) => {
					const view = new View(form, tui, this.#listener.notify, () => this.#lost(form));
					if (frame) view.show(frame);
					this.#mounted.set(form, { view, done, textBefore: ui.getEditorText() });
					setImmediate(() => {
						resolve(); // pi has put it into the slot
						if (this.#mounted.get(form)?.view !== view) return;
						view.mounted();
						if (frame) tui.renderNow();
					});
					return view;
				},
				asks ? { blocked: { kind: "question", message: "Waiting for user response" } } : {},
			).catch(reject);
		});
	}

	show(frame: Frame): void {
		const mounted = this.#mounted.get(frame.form);
		mounted?.view.show(frame);
		if (mounted) this.#dirty = true;
	}

	/** Draws what has been shown since the last time. */
	draw(): void {
		if (!this.#dirty) return;
		this.#dirty = false;
		// Not requestRender: after a key pi has just drawn the old frame and would wait 16 ms.
		this.tui?.renderNow();
	}

	/** Gives the slot back. pi restores the text that its editor had before; what was put there since is kept. */
	close(form: number, elsewhere = false): void {
		this.#waiting.get(form)?.abort(new Error("the form was closed before it was shown"));
		const mounted = this.#mounted.get(form);
		if (!mounted) return;
		this.#mounted.delete(form);
		if (elsewhere && mounted.view.focused) this.#hearAgain = dropTyping(this.#ui); // what is typed now is for the form
		const text = this.#ui.getEditorText();
		mounted.done();
		if (text !== mounted.textBefore) this.#ui.setEditorText(text);
	}

	closeAll(reason: Error, over = false): void {
		for (const wait of this.#waiting.values()) wait.abort(reason);
		for (const form of [...this.#mounted.keys()]) this.close(form, !over);
		if (over) this.#hearAgain();
	}

	/** pi has thrown the form away, with the rest of the session. */
	#lost(form: number): void {
		if (this.#mounted.delete(form)) this.#listener.notify("form/lost", { form });
	}

	#slotChanged(native: boolean): void {
		const forms = [...this.#mounted.entries()];
		if (!native && forms.some(([, m]) => m.view.focused)) return; // it is our own form that has the slot
		for (const [form] of native ? forms : []) {
			this.close(form);
			this.#listener.notify("form/lost", { form });
		}
		this.#listener.editor(native);
	}
}
