import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { stripTerminalSequences } from "@earendil-works/pi-tui";
import { type Handlers, Peer, RpcError } from "./peer.ts";

export const protocol = 1;
const helloTimeout = 10_000;
const stopTimeout = 500;
const tailLength = 2000;

/** Where the engine may be: the arguments stand for the process that asks. */
export interface Where {
	env: NodeJS.ProcessEnv;
	platform: string;
	arch: string;
	/** The folder of an installed package, if there is one of that name. */
	packageFolder(name: string): string | undefined;
	exists(path: string): boolean;
}

const here: Where = {
	env: process.env,
	platform: process.platform,
	arch: process.arch,
	exists: existsSync,
	packageFolder(name) {
		try {
			return dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
		} catch {
			return undefined;
		}
	},
};

/** Finds the engine: PI_AGENT_ASK_ENGINE, then the package for this platform, then PATH. */
export function findEngine(w: Where = here): string {
	const program = w.platform === "win32" ? "pi-agent-ask.exe" : "pi-agent-ask";
	const own = w.env.PI_AGENT_ASK_ENGINE;
	if (own) {
		if (w.exists(own)) return own;
		throw new Error(
			`PI_AGENT_ASK_ENGINE names a file that does not exist: ${own}. Correct or remove that variable and start pi again.`,
		);
	}
	const name = `@pi-agent-ask/engine-${w.platform}-${w.arch}`;
	const folder = w.packageFolder(name);
	const places = [
		...(folder ? [join(folder, "bin")] : []),
		...(w.env.PATH ?? "").split(delimiter).filter((p) => p !== ""),
	];
	const found = places.map((p) => join(p, program)).find((p) => w.exists(p));
	if (found) return found;
	throw new Error(
		`The question form needs the program pi-agent-ask, which is not installed: no package ${name}, and none on PATH. ` +
			"Run `pi install npm:pi-agent-ask` again (with optional dependencies), or set PI_AGENT_ASK_ENGINE to the program.",
	);
}

type Hello = { protocol?: number; version?: string };

export interface Life {
	/** Parameters of `initialize`. */
	hello(): Record<string, unknown>;
	/** Tells the engine about the session, right behind `initialize`; the engine is ready when it has taken that in. */
	greet(peer: Peer): Promise<unknown>;
	/** The engine has ended without being asked to; if it was not ready yet, whoever waits for it is told as well. */
	crashed(reason: Error, wasReady: boolean): void;
}

/** Keeps one engine process: starts it when it is needed, tells when it dies, ends it. */
export class Engine {
	#life: Life;
	#handlers: Omit<Handlers, "garbage" | "failed">;
	#find: () => string;
	#child: ChildProcess | undefined;
	#ready: Promise<Peer> | undefined;
	#stopping = false;

	constructor(life: Life, handlers: Omit<Handlers, "garbage" | "failed">, find: () => string = findEngine) {
		this.#life = life;
		this.#handlers = handlers;
		this.#find = find;
	}

	/** The connection to an engine that knows the session. Rejects with what to do about it. */
	peer(): Promise<Peer> {
		if (this.#stopping) return Promise.reject(new Error("The session is over."));
		this.#ready ??= this.#start().catch((e) => {
			this.#ready = undefined;
			throw e;
		});
		return this.#ready;
	}

	/** The process id of the engine, while there is one. */
	get pid(): number | undefined {
		return this.#child?.pid;
	}

	#start(): Promise<Peer> {
		return new Promise((resolve, reject) => {
			const path = this.#find();
			// Its own process group: a Ctrl+C or a closed terminal reaches pi, and pi ends the engine in good order.
			const child = spawn(path, ["serve"], {
				stdio: "pipe",
				detached: process.platform !== "win32",
				windowsHide: true,
			});
			this.#child = child;
			let tail = "";
			let cause: Error | undefined;
			let ready = false;
			const note = (text: string) => {
				tail = (tail + stripTerminalSequences(text)).slice(-tailLength);
			};
			const fail = (reason: Error) => {
				cause ??= reason;
				child.kill("SIGKILL");
			};
			const peer = new Peer(child.stdout, child.stdin, {
				...this.#handlers,
				garbage: (line) => note(`${line.slice(0, 200)}\n`),
				failed: fail,
			});
			const ended = (how: string) => {
				if (this.#child !== child) return;
				clearTimeout(timer);
				const words = tail.trim() === "" ? "" : `\nIts last words:\n${tail.trim()}\n`;
				const what = cause ? `failed: ${cause.message}` : how;
				const reason = new Error(`The pi-agent-ask engine (${path}) ${what}.${words || " "}${advice}`);
				this.#child = this.#ready = undefined;
				peer.close(reason);
				reject(reason);
				if (!this.#stopping) this.#life.crashed(reason, ready);
			};
			const timer = setTimeout(() => fail(new Error("it did not answer within 10 seconds")), helloTimeout);
			child.stderr.on("data", (d: Buffer) => note(d.toString("utf8")));
			child.on("error", (e) => ended(`could not be started: ${e.message}`));
			child.on("exit", (code, signal) => {
				const how = signal ? `was ended by ${signal}` : `stopped with exit code ${code}`;
				// Its last words may still be in the pipe, which another process may hold open.
				const late = setTimeout(() => ended(how), 200);
				child.on("close", () => {
					clearTimeout(late);
					ended(how);
				});
			});
			const hello = peer.call<Hello>("initialize", { protocol, ...this.#life.hello() });
			const greeting = this.#life.greet(peer);
			greeting.catch(() => {}); // looked at behind the hello
			const taken = hello.then((r) => {
				clearTimeout(timer);
				if (r?.protocol === protocol) return greeting;
				throw new RpcError(0, `version ${r?.version} speaks protocol ${r?.protocol}, this extension needs ${protocol}`);
			});
			taken.then(
				() => {
					ready = true;
					resolve(peer);
				},
				(e) => {
					if (e instanceof RpcError) fail(e);
				},
			);
		});
	}

	/** Asks the engine to end and makes sure that it does. */
	async stop(goodbye: (peer: Peer) => Promise<unknown>): Promise<void> {
		this.#stopping = true;
		const child = this.#child;
		if (!child || child.exitCode !== null || child.signalCode !== null) return;
		const gone = new Promise((resolve) => child.once("exit", resolve));
		const kill = setTimeout(() => child.kill("SIGKILL"), stopTimeout);
		try {
			const peer = await this.#ready;
			if (peer) await Promise.race([goodbye(peer), gone]);
		} catch {} // it died meanwhile, or never came up
		child.stdin?.end();
		await gone;
		clearTimeout(kill);
	}
}

const advice =
	"No question was answered. The next call starts the engine anew; if that fails too, have the user run " +
	"`pi install npm:pi-agent-ask`, which installs extension and engine in the same version.";
