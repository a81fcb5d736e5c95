import { open } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import {
	type ExtensionAPI,
	type ExtensionContext,
	getAgentDir,
	type SessionStartEvent,
	VERSION,
} from "@earendil-works/pi-coding-agent";
import { type AutocompleteProvider, CombinedAutocompleteProvider } from "@earendil-works/pi-tui";
import { branch } from "./branch.ts";
import { readImage } from "./clipboard.ts";
import { Engine } from "./engine.ts";
import { Forms } from "./forms.ts";
import type { Manifest } from "./manifest.ts";
import { type Peer, RpcError } from "./peer.ts";
import { type RowContent, type Span, withoutImages } from "./rows.ts";
import { type Frame, warmUp } from "./view.ts";

const stale = -32010;
const handlerTimeout = 10_000;
const revivalPause = 60_000;

type Block = { type: "text"; text: string } | { type: "image"; mimeType: string; data: string };
type Message = { customType: string; content: string | Block[]; display: boolean; details?: unknown };
type Gen = { gen: number };
type Place = { form: number; kind: string; frame?: Frame };
export type ToolResult = { content: Block[]; details: unknown; structuredContent?: never };

const fg = ["accent", "text", "success", "muted", "warning", "dim", "error", "toolTitle", "syntaxString"] as const;
const bg = ["selectedBg", "customMessageBg"] as const;

/** One session of pi with the engine that belongs to it: what pi does is told to the engine, what it asks for is done. */
export class Session {
	#pi: ExtensionAPI;
	#ctx: ExtensionContext;
	#manifest: Manifest;
	#engine: Engine;
	#forms: Forms | undefined; // in interactive mode only
	#files: AutocompleteProvider | undefined;
	#gen = 0;
	#reason: SessionStartEvent["reason"];
	#begin: string | undefined; // the leaf at the start, until an engine knows the session
	#peer: Peer | undefined; // while the engine runs
	#greeted: Promise<unknown> = Promise.resolve(); // the engine has taken in the start
	#revived = 0; // when the engine was last started again by itself
	#over = false;
	#blocked = false;
	#theme = "";
	#complain = (e: Error): void => this.#ctx.ui.notify(e.message, "error");

	constructor(pi: ExtensionAPI, ctx: ExtensionContext, manifest: Manifest, reason: SessionStartEvent["reason"]) {
		this.#pi = pi;
		this.#ctx = ctx;
		this.#manifest = manifest;
		this.#reason = reason;
		this.#begin = ctx.sessionManager.getLeafId() ?? "";
		this.#engine = new Engine(
			{
				hello: () => this.#hello(),
				greet: (peer) => this.#greet(peer),
				crashed: (e, ready) => this.#crashed(e, ready),
			},
			{
				request: (method, params) => this.#request(method, params),
				notification: (method, params) => this.#notification(method, params),
				drained: () => this.#forms?.draw(),
			},
		);
		if (ctx.mode !== "tui") return; // the engine is started by the first use
		ctx.ui.addAutocompleteProvider((current) => {
			this.#files = current;
			return current;
		});
		this.#forms = new Forms(ctx.ui, {
			notify: (method, params, latest) => this.#peer?.notify(method, params, latest),
			editor: (native) => this.#peer?.notify(native ? "editor/ready" : "editor/taken", { gen: this.#gen }),
			restyled: () => this.#themeChanged(),
		});
		this.#engine.peer().catch(this.#complain);
	}

	// What pi does.

	async execute(callId: string, name: string, params: unknown, cwd: string, signal?: AbortSignal): Promise<ToolResult> {
		const peer = await this.#engine.peer();
		const gen = this.#gen;
		const cancel = () => peer.notify("tool/cancel", { gen, callId });
		if (signal?.aborted) cancel(); // known before the call begins, no form flashes up
		signal?.addEventListener("abort", cancel, { once: true });
		try {
			return await peer.call<ToolResult>("tool/execute", { gen, callId, name, params, cwd });
		} finally {
			signal?.removeEventListener("abort", cancel);
		}
	}

	/** Tells the engine what has happened, if it runs; undefined when it has no answer. */
	async tell<T>(method: string): Promise<T | undefined> {
		const peer = this.#peer;
		if (!peer) return undefined;
		await this.#greeted; // a change of the session is told behind its start
		try {
			const late = sleep(handlerTimeout, undefined, { ref: false });
			return await Promise.race([peer.call<T>(method, { gen: this.#gen }), late]);
		} catch {
			return undefined; // a stale or dead engine has nothing to say
		}
	}

	async tree(): Promise<void> {
		this.#gen++;
		this.#begin = undefined;
		await this.tell("session/tree");
	}

	idle(): void {
		// pi reports the end of a compaction shortly before it is idle.
		setImmediate(() => this.#peer?.notify("agent/idle", { gen: this.#gen }));
	}

	async settings(): Promise<void> {
		const called = this.#engine.peer().then((peer) => peer.call("command/settings", { gen: this.#gen }));
		await called.catch(this.#complain);
	}

	submit(channel: string, data: unknown): void {
		this.#engine.peer().then((peer) => peer.notify("bus/event", { gen: this.#gen, channel, data }), this.#complain);
	}

	drawRow(row: RowContent & { width: number }): Promise<Span[][]> | undefined {
		return this.#peer?.call<{ lines: Span[][] }>("row/render", withoutImages(row)).then((r) => r.lines);
	}

	redraw(): void {
		this.#forms?.tui?.requestRender();
	}

	async shutdown(): Promise<void> {
		const gen = ++this.#gen;
		this.#forms?.closeAll(new RpcError(stale, "the session is over"), true);
		await this.#engine.stop(async (peer) => {
			await peer.call("session/shutdown", { gen });
			await peer.call("shutdown", {});
		});
		this.#unblock();
		this.#over = true;
		this.#peer = undefined;
	}

	// The engine's life.

	/** Tells a new engine about the session as it is now. */
	#greet(peer: Peer): Promise<void> {
		this.#peer = peer;
		const { mode, cwd, sessionManager } = this.#ctx;
		const gen = ++this.#gen;
		const ready = this.#forms?.editorReady === true;
		const start = peer.call("session/start", {
			gen,
			reason: this.#reason,
			mode,
			cwd,
			editorReady: ready,
			// A call that is made while the engine starts is no interrupted one: it is not shown at first.
			branch: branch(sessionManager, undefined, this.#begin),
		});
		this.#begin = undefined;
		const greeting = start.then(() => {
			const now = this.#forms?.editorReady === true;
			if (now !== ready) peer.notify(now ? "editor/ready" : "editor/taken", { gen });
			this.#reason = "reload"; // a second engine takes over, it does not recover calls that have just failed
			this.redraw(); // rows that were drawn without an engine
			if (this.#forms) setImmediate(warmUp);
		});
		this.#greeted = greeting.catch(() => {}); // whoever needs the engine is told
		return greeting;
	}

	#hello(): Record<string, unknown> {
		const { mode, cwd } = this.#ctx;
		const pasteImage = this.#forms?.pasteImageKeys ?? [];
		const label = (key: string) => (process.platform === "darwin" ? key.replace(/\balt\b/g, "option") : key);
		const powers = mode === "tui" ? ["clipboard", ...(this.#canListFiles() ? ["files"] : [])] : [];
		this.#theme = JSON.stringify(this.#palette());
		return {
			host: { name: "pi", version: VERSION },
			mode,
			cwd,
			agentDir: getAgentDir(),
			form: this.#forms?.room,
			theme: this.#palette(),
			keys: { pasteImage, pasteImageLabels: pasteImage.map(label) },
			powers,
		};
	}

	#crashed(reason: Error, wasReady: boolean): void {
		this.#peer = undefined;
		this.#gen++;
		this.#forms?.closeAll(reason);
		this.#unblock();
		this.#ctx.ui.setWorkingVisible(true);
		if (this.#ctx.mode !== "tui" || !wasReady) return;
		if (Date.now() - this.#revived < revivalPause) {
			this.#complain(reason);
			return;
		}
		this.#revived = Date.now();
		this.#ctx.ui.notify("The pi-agent-ask engine has stopped; it is started again.", "warning");
		this.#engine.peer().catch(this.#complain);
	}

	#unblock(): void {
		const blocked = this.#manifest.channels.blocked;
		if (this.#blocked && blocked) this.#emit(blocked, { active: false });
	}

	// What the engine asks for.

	async #request(method: string, p: never): Promise<unknown> {
		switch (method) {
			case "form/open":
				return this.#open(this.#current<Gen & Place>(p));
			case "form/close":
				return this.#forms?.close((p as { form: number }).form, (p as { elsewhere?: boolean }).elsewhere);
			case "journal/append":
				return this.#append(this.#current<Gen & { customType: string; data: unknown }>(p));
			case "session/branch":
				return branch(this.#ctx.sessionManager, this.#current<Gen & { after?: string }>(p).after);
			case "message/deliver": {
				const { message, wake } = this.#current<Gen & { message: Message; wake: boolean }>(p);
				return this.#pi.sendMessage(message, { triggerTurn: wake });
			}
			case "message/user": {
				const { content, followUp } = this.#current<Gen & { content: Block[]; followUp: boolean }>(p);
				return this.#pi.sendUserMessage(content, followUp ? { deliverAs: "followUp" } : undefined);
			}
			case "agent/state":
				this.#current(p);
				return { idle: this.#ctx.isIdle() && !this.#ctx.signal };
			case "agent/abort":
				this.#current(p);
				return this.#ctx.abort();
			case "clipboard/image":
				return readImage();
			case "files/suggest":
				return this.#suggest((p as { query: string }).query);
		}
		throw new RpcError(-32601, `there is no method ${method}`);
	}

	#notification(method: string, p: never): void {
		if (this.#over) return;
		const { gen } = p as { gen?: number };
		switch (method) {
			case "form/frame":
				this.#forms?.show(p as Frame);
				return;
			case "terminal/write":
				this.#forms?.tui?.terminal.write(Buffer.from((p as { data: string }).data, "base64").toString("utf8"));
				return;
			case "bus/emit": {
				const { channel, data } = p as { channel: string; data: { active?: boolean } };
				// The end of a blocked state is told even when the session has moved on.
				if (gen === this.#gen || (channel === this.#manifest.channels.blocked && !data.active))
					this.#emit(channel, data);
				return;
			}
		}
		if (gen !== this.#gen) return;
		const { text, error, shown } = p as { text: string; error?: boolean; shown?: boolean };
		if (method === "ui/notify") this.#ctx.ui.notify(text, error ? "error" : "info");
		else if (method === "ui/status") this.#ctx.ui.setStatus("ask:queue", text || undefined);
		else if (method === "ui/working") this.#ctx.ui.setWorkingVisible(shown !== false);
	}

	/** The parameters of a request that belongs to this session. */
	#current<T extends Gen>(p: unknown): T {
		if (this.#over || (p as Gen).gen !== this.#gen) throw new RpcError(stale, "the session has changed");
		return p as T;
	}

	#emit(channel: string, data: { active?: boolean }): void {
		if (channel === this.#manifest.channels.blocked) this.#blocked = data.active === true;
		this.#pi.events.emit(channel, data);
	}

	async #open({ gen, form, kind, frame }: Gen & Place): Promise<void> {
		if (!this.#forms) throw new Error("forms are shown in interactive mode only");
		await this.#forms.free(form);
		this.#current({ gen });
		await this.#forms.open(form, kind === "ask", frame);
	}

	async #append({ customType, data }: { customType: string; data: unknown }): Promise<{ id: string | null }> {
		this.#pi.appendEntry(customType, data);
		const id = this.#ctx.sessionManager.getLeafId();
		const path = this.#ctx.sessionManager.getSessionFile();
		if (path && this.#manifest.outcomes.includes(customType)) await sync(path);
		return { id };
	}

	#canListFiles(): boolean {
		// pi's own completion finds nothing without the program fd; the engine's does.
		return (
			this.#files instanceof CombinedAutocompleteProvider &&
			Boolean((this.#files as unknown as { fdPath?: string }).fdPath)
		);
	}

	async #suggest(query: string): Promise<unknown> {
		const text = `@${query}`;
		const found = await this.#files?.getSuggestions([text], 0, text.length, { signal: AbortSignal.timeout(5000) });
		const items = (found?.items ?? []).map(({ value, label, description }) => {
			const path = value.replace(/^@?"?|"$/g, "");
			return { value: path, name: label, path: description ?? path, dir: path.endsWith("/") };
		});
		return { items };
	}

	#palette(): { fg: Record<string, string>; bg: Record<string, string> } {
		const theme = this.#ctx.ui.theme;
		if (this.#ctx.mode !== "tui") return { fg: {}, bg: {} };
		return {
			fg: Object.fromEntries(fg.map((role) => [role, theme.getFgAnsi(role)])),
			bg: Object.fromEntries(bg.map((role) => [role, theme.getBgAnsi(role)])),
		};
	}

	#themeChanged(): void {
		if (!this.#peer || this.#over) return;
		const theme = this.#palette();
		const text = JSON.stringify(theme);
		if (text === this.#theme) return;
		this.#theme = text;
		this.#peer.notify("theme/changed", { theme }, "theme");
	}
}

/** Puts the session file on the disk. pi appends without it; where it fails, pi's own promise is what is left. */
async function sync(path: string): Promise<void> {
	try {
		const file = await open(path, "r+");
		await file.datasync().finally(() => file.close());
	} catch {}
}
