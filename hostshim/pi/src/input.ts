import type { ExtensionUIContext } from "@earendil-works/pi-coding-agent";
import { decodeKittyPrintable, isKeyRelease, isKeyRepeat, parseKey } from "@earendil-works/pi-tui";

/** What one chunk of terminal input is to a form: a paste, or a key press or repeat with its id and the text it types. */
export type Input = { paste: string } | { id: string; text: string; repeat?: true };

const pasteStart = "\x1b[200~";
const pasteEnd = "\x1b[201~";
// biome-ignore lint/suspicious/noControlCharactersInRegex: the point is to tell text from control sequences
const printable = /^[^\x00-\x1f\x7f-\x9f]+$/;

/** Reads a chunk; undefined when it means nothing to a form (a key release, an unknown sequence). */
export function readInput(data: string): Input | undefined {
	if (data.startsWith(pasteStart)) {
		const end = data.endsWith(pasteEnd) ? -pasteEnd.length : undefined;
		return { paste: data.slice(pasteStart.length, end).replace(/\r\n?/g, "\n") };
	}
	if (isKeyRelease(data)) return undefined;
	const id = parseKey(data) ?? "";
	const text = decodeKittyPrintable(data) ?? (printable.test(data) ? data : "");
	if (id === "" && text === "") return undefined;
	return isKeyRepeat(data) ? { id, text, repeat: true } : { id, text };
}

/** Drops what is typed until nobody has typed for 300 ms, for 2 s at most. Returns what ends that at once. */
export function dropTyping(ui: Pick<ExtensionUIContext, "onTerminalInput">, now = () => performance.now()): () => void {
	const begun = now();
	let last = begun;
	const stop = ui.onTerminalInput((data) => {
		if (!readInput(data)) return undefined; // the terminal says something
		if (now() - last >= 300 || now() - begun >= 2000) return void stop();
		last = now();
		return { consume: true };
	});
	return stop;
}
