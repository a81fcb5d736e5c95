import type { Readable, Writable } from "node:stream";

/** Longest line that is accepted, and how much may wait for an engine that does not read. */
const maxLine = 256 << 20;
const maxWaiting = 64 << 20;

/** An error of the other side, or one to give it. */
export class RpcError extends Error {
	readonly code: number;
	constructor(code: number, message: string) {
		super(message);
		this.code = code;
	}
}

export interface Handlers {
	/** Answers a request of the other side; what it throws goes back as an error. */
	request(method: string, params: never): unknown;
	notification(method: string, params: never): void;
	/** Everything that had arrived is handled: the time to draw. */
	drained(): void;
	/** A line that is no message. */
	garbage(line: string): void;
	/** The connection cannot go on. */
	failed(reason: Error): void;
}

type Message = {
	id?: number | string | null;
	method?: string;
	params?: unknown;
	result?: unknown;
	error?: { code: number; message: string; data?: unknown };
};
type Pending = { resolve(v: unknown): void; reject(e: Error): void };

const text = (e: { message: string; data?: unknown }) =>
	typeof e.data === "string" ? `${e.message}: ${e.data}` : e.message;

/** JSON-RPC 2.0 over two streams, one message a line; both sides may call. */
export class Peer {
	#out: Writable;
	#handlers: Handlers;
	#next = 1;
	#pending = new Map<number, Pending>();
	#chunks: Buffer[] = [];
	#size = 0;
	#blocked = false;
	#waiting: { line: string; latest: string | undefined }[] = [];
	#bytes = 0;
	#closed: Error | undefined;

	constructor(input: Readable, out: Writable, handlers: Handlers) {
		this.#out = out;
		this.#handlers = handlers;
		input.on("data", (chunk: Buffer) => this.#read(chunk));
		out.on("drain", () => this.#flush());
		out.on("error", () => {}); // the engine is gone; its exit tells more
	}

	call<T>(method: string, params: unknown): Promise<T> {
		if (this.#closed) return Promise.reject(this.#closed);
		const id = this.#next++;
		return new Promise<T>((resolve, reject) => {
			this.#pending.set(id, { resolve: resolve as (v: unknown) => void, reject });
			this.#send({ id, method, params });
		});
	}

	/** With latest, a notification replaces one of the same name that still waits to be written. */
	notify(method: string, params: unknown, latest?: string): void {
		this.#send({ method, params }, latest);
	}

	/** Rejects all calls under way and everything later. */
	close(reason: Error): void {
		this.#closed ??= reason;
		for (const p of this.#pending.values()) p.reject(this.#closed);
		this.#pending.clear();
		this.#waiting = [];
	}

	#send(message: Message, latest?: string): void {
		if (this.#closed) return;
		const line = `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
		if (!this.#blocked) {
			this.#blocked = !this.#out.write(line);
			return;
		}
		const old = latest === undefined ? undefined : this.#waiting.find((w) => w.latest === latest);
		this.#bytes += line.length - (old?.line.length ?? 0);
		if (old) old.line = line;
		else this.#waiting.push({ line, latest });
		if (this.#bytes > maxWaiting) this.#handlers.failed(new Error("it does not read its input"));
	}

	#flush(): void {
		this.#blocked = false;
		for (let w = this.#waiting.shift(); w; w = this.#blocked ? undefined : this.#waiting.shift()) {
			this.#bytes -= w.line.length;
			this.#blocked = !this.#out.write(w.line);
		}
	}

	#read(chunk: Buffer): void {
		let start = 0;
		for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
			const piece = chunk.subarray(start, end);
			this.#line((this.#chunks.length === 0 ? piece : Buffer.concat([...this.#chunks, piece])).toString("utf8"));
			this.#chunks = [];
			this.#size = 0;
			start = end + 1;
		}
		if (start < chunk.length) {
			this.#chunks.push(chunk.subarray(start));
			this.#size += chunk.length - start;
			if (this.#size > maxLine) this.#handlers.failed(new Error("it sent a message that is too long"));
		}
		this.#handlers.drained();
	}

	#line(line: string): void {
		let m: Message | undefined;
		try {
			m = JSON.parse(line);
		} catch {}
		if (typeof m !== "object" || m === null) {
			if (line.trim() !== "") this.#handlers.garbage(line);
		} else if (typeof m.method === "string") {
			if (m.id === undefined || m.id === null) this.#handlers.notification(m.method, m.params as never);
			else void this.#answer(m.id, m.method, m.params as never);
		} else if (typeof m.id === "number") {
			const p = this.#pending.get(m.id);
			this.#pending.delete(m.id);
			if (m.error) p?.reject(new RpcError(m.error.code, text(m.error)));
			else p?.resolve(m.result);
		}
	}

	async #answer(id: number | string, method: string, params: never): Promise<void> {
		try {
			this.#send({ id, result: (await this.#handlers.request(method, params)) ?? {} });
		} catch (e) {
			const code = e instanceof RpcError ? e.code : -32603;
			this.#send({ id, error: { code, message: e instanceof Error ? e.message : String(e) } });
		}
	}
}
