import type { Theme } from "@earendil-works/pi-coding-agent";
import { type Component, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { RpcError } from "./peer.ts";
import { clip } from "./view.ts";

export interface Span {
	role?: string;
	bold?: boolean;
	text: string;
}

/** What a row shows, as `row/render` wants it. */
export interface RowContent {
	kind: "call" | "result" | "answer" | "waitCall" | "wait";
	args?: unknown;
	details?: unknown;
	content?: unknown;
}

/** Draws a row for a width; undefined while no engine runs. */
export type Draw = (row: RowContent & { width: number }) => Promise<Span[][]> | undefined;

/** The text of a result or message without its line for the model, for as long as no engine has drawn it. */
export function plainText(row: RowContent, name: string): string {
	if (row.kind === "call" || row.kind === "waitCall") return name;
	const blocks = Array.isArray(row.content) ? (row.content as { type?: string; text?: string }[]) : [];
	const texts = blocks.flatMap((b) => (b.type === "text" && b.text ? [b.text] : []));
	return texts.join("\n").replace(/^ask_user \[[^\]\n]*\]\n/, "");
}

/** A row without the bytes of its images: only their number is shown. */
export function withoutImages<T>(row: T): T {
	const slim = function (this: unknown, key: string, value: unknown): unknown {
		if (typeof value !== "string" || value.length < 64 || key !== "data") return value;
		const image = this as { mimeType?: unknown };
		return typeof image.mimeType === "string" && image.mimeType.startsWith("image/") ? "AA==" : value;
	};
	return JSON.parse(JSON.stringify(row, slim));
}

/** A row of the transcript: plain text at first, then as the engine draws it. */
export class Row implements Component {
	#draw: Draw;
	#changed: () => void;
	#theme: Theme;
	#name: string;
	#content: RowContent;
	#round = 0;
	#asked = 0;
	#spans: { width: number; lines: Span[][] } | undefined;
	#lines: { width: number; drawn: boolean; lines: string[] } | undefined;

	constructor(name: string, content: RowContent, theme: Theme, draw: Draw, changed: () => void) {
		this.#name = name;
		this.#content = content;
		this.#theme = theme;
		this.#draw = draw;
		this.#changed = changed;
	}

	set(content: RowContent, theme: Theme): this {
		const old = this.#content;
		this.#theme = theme;
		if (old.args !== content.args || old.details !== content.details || old.content !== content.content) {
			this.#content = content;
			this.#asked = 0;
			this.#round++;
		}
		return this;
	}

	render(width: number): readonly string[] {
		if (this.#asked !== width) this.#ask(width);
		const drawn = this.#spans?.width === width;
		const had = this.#lines;
		if (had && had.width === width && had.drawn === drawn) return had.lines;
		const lines = (
			drawn && this.#spans
				? this.#spans.lines.map((l) => this.#paint(l))
				: wrapTextWithAnsi(plainText(this.#content, this.#name), width)
		).map((l) => clip(l, width));
		this.#lines = { width, drawn, lines };
		return lines;
	}

	invalidate(): void {
		this.#lines = undefined;
	}

	#ask(width: number): void {
		const answer = this.#draw({ ...this.#content, width });
		if (!answer) return; // asked again when it is drawn again
		this.#asked = width;
		const round = this.#round;
		answer.then(
			(lines) => {
				if (round !== this.#round || !Array.isArray(lines)) return;
				this.#spans = { width, lines };
				this.#lines = undefined;
				this.#changed();
			},
			(e) => {
				if (!(e instanceof RpcError)) this.#asked = 0; // the engine has died: the next one is asked again
			},
		);
	}

	#paint(spans: Span[]): string {
		return spans
			.map(({ role, bold, text }) => {
				const styled = bold ? this.#theme.bold(text) : text;
				try {
					return role ? this.#theme.fg(role as Parameters<Theme["fg"]>[0], styled) : styled;
				} catch {
					return styled; // a role that this theme does not have
				}
			})
			.join("");
	}
}
