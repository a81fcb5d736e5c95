import {
	type Component,
	CURSOR_MARKER,
	type Focusable,
	setKittyProtocolActive,
	type TUI,
	truncateToWidth,
	visibleWidth,
} from "@earendil-works/pi-tui";
import { readInput } from "./input.ts";

export interface Frame {
	form: number;
	seq: number;
	cols: number;
	rows: number;
	lines: string[];
}

type Send = (method: string, params: Record<string, unknown>, latest?: string) => void;

/** Rows of the screen that are not the form's: pi's footer, a status line, and one row of the conversation. */
const reserved = 4;

/** How large a form can be. */
export const roomIn = ({ terminal }: TUI): { cols: number; rows: number } => ({
	cols: terminal.columns,
	rows: Math.max(1, terminal.rows - reserved),
});

/** Measures the marks of a form once: the first time pi compiles a large pattern for that, which takes 20 ms and more. */
export const warmUp = (): void => void visibleWidth("❯ ☰ ☒ ☐ ✓");

/** No line may be wider than the screen: pi ends itself when one is. */
export const clip = (line: string, width: number): string =>
	visibleWidth(line) > width ? truncateToWidth(line, width, "") : line;

/** A form in the editor's slot: shows the engine's frames and passes on what is typed. */
export class View implements Component, Focusable {
	focused = false;
	/** Page keys are the form's, not the transcript's. */
	readonly capturesViewportInput = true;
	readonly form: number;
	#tui: TUI;
	#send: Send;
	#disposed: () => void;
	#frame: Frame | undefined;
	#here = false; // the engine knows that it is in its place
	#shown = 0;
	#size = "";
	#lines: { of: Frame; width: number; focused: boolean; rows: number; lines: string[] } | undefined;

	constructor(form: number, tui: TUI, send: Send, disposed: () => void) {
		this.form = form;
		this.#tui = tui;
		this.#send = send;
		this.#disposed = disposed;
	}

	mounted(): void {
		this.#here = true;
		this.#tellSize("form/mounted", this.#tui.terminal.columns);
	}

	show(frame: Frame): void {
		this.#frame = frame;
	}

	render(width: number): readonly string[] {
		const rows = this.#tellSize("form/size", width);
		const frame = this.#frame;
		if (!frame) return [];
		if (this.#here && this.#shown !== frame.seq) {
			this.#shown = frame.seq;
			this.#send("form/shown", { form: this.form, seq: frame.seq }, `shown ${this.form}`);
		}
		const had = this.#lines;
		if (had?.of === frame && had.width === width && had.focused === this.focused && had.rows === rows) return had.lines;
		// A frame may be older than the size: what does not fit is cut until the next one is here.
		const lines = frame.lines.slice(0, rows).map((l) => clip(this.focused ? l : l.replace(CURSOR_MARKER, ""), width));
		this.#lines = { of: frame, width, focused: this.focused, rows, lines };
		return lines;
	}

	handleInput(data: string): void {
		setKittyProtocolActive(this.#tui.terminal.kittyProtocolActive); // ours may be another copy of pi's packages
		const input = readInput(data);
		if (!input) return;
		if ("paste" in input) this.#send("form/paste", { form: this.form, text: input.paste });
		else this.#send("form/key", { form: this.form, ...input });
	}

	invalidate(): void {
		this.#lines = undefined;
	}

	dispose(): void {
		this.#disposed();
	}

	/** Tells the engine how much room there is when that has changed, or when the form is new in its place. */
	#tellSize(method: "form/mounted" | "form/size", cols: number): number {
		const { rows } = roomIn(this.#tui);
		const size = `${cols}x${rows}`;
		if (this.#here && (method === "form/mounted" || size !== this.#size)) {
			this.#size = size;
			this.#send(method, { form: this.form, cols, rows }, `${method} ${this.form}`);
		}
		return rows;
	}
}
